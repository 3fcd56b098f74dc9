type Output = { readonly log: (line: string) => void; readonly metric: (line: string) => void };

/** A function's logs and metrics are what it writes, line by line. */
const ofFunction: Output = {
  log: (line) => process.stdout.write(line),
  metric: (line) => process.stdout.write(line),
};
/** A command line answers on stdout; CloudWatch reads none of its lines. */
const ofCommandLine: Output = { log: (line) => process.stderr.write(line), metric: () => undefined };

let current = ofFunction;

/** Returns the outputs of this process for log lines and metrics. */
export function output(): Output {
  return current;
}

/** Sets the output of a process that is no function, before it works. */
export function answersOnStdout(): void {
  current = ofCommandLine;
}
