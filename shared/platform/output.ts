type Output = {
  readonly log: (line: string) => void;
  /** Absent where nothing reads metrics: then none is counted. */
  readonly metric?: (line: string) => void;
};

/** Output of a function: logs and metrics are lines on stdout. */
const ofFunction: Output = {
  log: (line) => process.stdout.write(line),
  metric: (line) => process.stdout.write(line),
};
/**
 * Output of a command-line tool: stdout is for its results, so logs go to stderr. CloudWatch reads none of its lines,
 * so there are no metrics.
 */
const ofCommandLine: Output = { log: (line) => process.stderr.write(line) };

let current = ofFunction;

/** Returns the outputs of this process for log lines and metrics. */
export function output(): Output {
  return current;
}

/** Sets the output of a command-line tool. Call it first. */
export function answersOnStdout(): void {
  current = ofCommandLine;
}
