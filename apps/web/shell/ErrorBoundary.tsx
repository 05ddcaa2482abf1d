import { Component, type ComponentType, type ReactNode } from 'react';

interface ErrorBoundaryProps {
  /** Rendered in place of children that threw; nothing by default. */
  readonly fallback?: ComponentType<{ readonly error: unknown }>;
  /** A change, such as a new address after a navigation, renders the children again. */
  readonly resetKey: string;
  readonly children: ReactNode;
}

interface ErrorBoundaryState {
  readonly error?: unknown;
  readonly resetKey?: string;
}

/** Renders `fallback` if the children throw. A class, because React supports this in classes only. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  override state: ErrorBoundaryState = {};

  static getDerivedStateFromError(error: unknown): ErrorBoundaryState {
    return { error };
  }

  static getDerivedStateFromProps(
    { resetKey }: ErrorBoundaryProps,
    state: ErrorBoundaryState,
  ): ErrorBoundaryState | null {
    if (state.resetKey === resetKey) return null;
    return state.resetKey === undefined ? { resetKey } : { resetKey, error: undefined };
  }

  override render(): ReactNode {
    const { fallback: Fallback, children } = this.props;
    if (this.state.error === undefined) return children;
    return Fallback && <Fallback error={this.state.error} />;
  }
}
