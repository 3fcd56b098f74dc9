import { startProbe } from './start-probe.ts';

/** The probe as a process of its own, for tests that kill it: `node run-probe.ts <folder>`. */
const environment = await startProbe(process.argv[2] ?? '', (line) => {
  console.error(line);
});
process.once('SIGTERM', () => {
  void environment.stop().then(() => process.exit(0));
});
process.stdin.resume().once('end', () => process.exit(1));
console.log('ready');
