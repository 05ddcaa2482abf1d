import { Component, type ComponentType, type ReactNode } from 'react';

interface ErrorBoundaryProps {
  readonly fallback: ComponentType<{ readonly error: unknown }>;
  /** Another value, such as the address after a navigation, gives the children another try. */
  readonly resetKey: string;
  readonly children: ReactNode;
}

interface CaughtError {
  readonly error?: unknown;
  readonly on?: string;
}

/** Draws `fallback` in place of children that broke. A class, because React hands errors to classes only. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, CaughtError> {
  override state: CaughtError = {};

  static getDerivedStateFromError(error: unknown): CaughtError {
    return { error };
  }

  static getDerivedStateFromProps({ resetKey }: ErrorBoundaryProps, state: CaughtError): CaughtError | null {
    if (state.on === resetKey) return null;
    return state.on === undefined ? { on: resetKey } : { on: resetKey, error: undefined };
  }

  override render(): ReactNode {
    const { fallback: Fallback, children } = this.props;
    return this.state.error === undefined ? children : <Fallback error={this.state.error} />;
  }
}
