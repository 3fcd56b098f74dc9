/** Tells on standard error how far a row is: one line that changes on a terminal, lines elsewhere. */
export function startProgress(name: string): { readonly tell: (what: string) => void; readonly stop: () => void } {
  const { stderr } = process;
  const started = performance.now();
  const line = (what: string): string => `${name} ${((performance.now() - started) / 1000).toFixed(0)} s: ${what}`;
  if (!stderr.isTTY) return { tell: (what) => stderr.write(`${line(what)}\n`), stop: () => undefined };
  let last = 'begins';
  const show = (): void => void stderr.write(`\r\u001B[K${line(last)}`);
  const timer = setInterval(show, 1000);
  return {
    tell: (what) => {
      last = what;
      show();
    },
    stop: () => {
      clearInterval(timer);
      stderr.write('\r\u001B[K');
    },
  };
}
