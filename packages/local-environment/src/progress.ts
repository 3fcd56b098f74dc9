/** Prints the steps of a start. */
type Progress = {
  /** Ends the previous step and begins this one. */
  readonly begin: (step: string) => void;
  /** Ends the last step, whether it is done or has failed. */
  readonly end: () => void;
};

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'] as const;
const frameMs = 80;

/**
 * Prints one line for each step. In a terminal the line shows a spinner, and at the end of the step its seconds.
 * Elsewhere the line is printed when the step begins.
 */
export function showProgress(out: Pick<NodeJS.WriteStream, 'write' | 'isTTY'>): Progress {
  if (!out.isTTY) {
    return {
      begin: (step) => {
        out.write(`  ${step} …\n`);
      },
      end: () => undefined,
    };
  }
  let current: { readonly step: string; readonly sinceMs: number; readonly timer: NodeJS.Timeout } | undefined;
  const end = (): void => {
    if (current === undefined) return;
    clearInterval(current.timer);
    const seconds = ((performance.now() - current.sinceMs) / 1000).toFixed(1);
    out.write(`\r  ${current.step}: ${seconds} s\u001b[K\n`);
    current = undefined;
  };
  return {
    begin: (step) => {
      end();
      let at = 0;
      const draw = (): void => {
        out.write(`\r${frames[at++ % frames.length] ?? ''} ${step} …\u001b[K`);
      };
      draw();
      current = { step, sinceMs: performance.now(), timer: setInterval(draw, frameMs) };
    },
    end,
  };
}
