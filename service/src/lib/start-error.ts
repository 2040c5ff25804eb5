/** A fault that keeps the service from starting and that its operator can mend: printed as one line, never as a stack. */
export class StartError extends Error {}
