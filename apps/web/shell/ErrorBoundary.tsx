import { Component, type ComponentType, type ReactNode } from 'react';

interface ErrorBoundaryProps {
  readonly fallback: ComponentType<{ readonly error: unknown }>;
  /** Another value, such as the address after a navigation, gives the children another try. */
  readonly on: string;
  readonly children: ReactNode;
}

interface Caught {
  readonly error?: unknown;
  readonly on?: string;
}

/** Draws `fallback` in place of children that broke. A class, because React hands errors to classes only. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, Caught> {
  override state: Caught = {};

  static getDerivedStateFromError(error: unknown): Caught {
    return { error };
  }

  static getDerivedStateFromProps({ on }: ErrorBoundaryProps, state: Caught): Caught | null {
    if (state.on === on) return null;
    return state.on === undefined ? { on } : { on, error: undefined };
  }

  override render(): ReactNode {
    const { fallback: Fallback, children } = this.props;
    return this.state.error === undefined ? children : <Fallback error={this.state.error} />;
  }
}
