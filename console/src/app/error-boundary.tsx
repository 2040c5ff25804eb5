import { Component, type ReactNode } from 'react'
import { ErrorState } from './states.tsx'

/** Keeps an error of one screen from taking down the shell. `resetKey`: another screen starts anew. */
export class ErrorBoundary extends Component<
  { children: ReactNode; resetKey?: string },
  { error: unknown; key: string | undefined }
> {
  override state = { error: undefined as unknown, key: this.props.resetKey }

  static getDerivedStateFromError(error: unknown) {
    return { error }
  }

  static getDerivedStateFromProps(
    { resetKey }: { resetKey?: string },
    state: { error: unknown; key: string | undefined },
  ) {
    return resetKey === state.key ? null : { error: undefined, key: resetKey }
  }

  override render() {
    const { error } = this.state
    if (error === undefined) return this.props.children
    return <ErrorState error={error} onRetry={() => this.setState({ error: undefined })} />
  }
}
