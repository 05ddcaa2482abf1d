import { Component, type ComponentType, type ReactNode } from 'react';

interface ErrorBoundaryProps {
  readonly fallback: ComponentType<{ readonly error: unknown }>;
  /** A change, such as a new address after a navigation, renders the children again. */
  readonly resetKey: string;
  readonly children: ReactNode;
}

interface CaughtError {
  readonly error?: unknown;
  readonly on?: string;
}

/** Renders `fallback` if the children throw. A class, because React supports this in classes only. */
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
