/** A failure that the user can remedy: the message names it, `next` the remedy. */
export class ToolFailure extends Error {
  override readonly name: string = 'ToolFailure';
  readonly next: string;
  constructor(message: string, next: string) {
    super(message);
    this.next = next;
  }
}

/** The command line is wrong. */
export class UsageError extends ToolFailure {
  override readonly name = 'UsageError';
}

/** The tool found problems, which it has printed. */
export class ProblemsFound extends Error {
  override readonly name = 'ProblemsFound';
}
