/** How often a run under npm checks that npm still runs. */
const parentLookMs = 200;

/**
 * Under npm, ends this process when npm ends: a killed `npm start` must not leave a service behind that holds port
 * and folder. As after any crash, nothing that was answered is lost.
 *
 * @param script Name of the npm script; started in another way, the process is left alone.
 */
export function endWithNpm(script: string): void {
  if (process.env['npm_lifecycle_event'] !== script) return;
  const npm = process.ppid;
  setInterval(() => {
    if (process.ppid !== npm) process.exit(1);
  }, parentLookMs).unref();
}
