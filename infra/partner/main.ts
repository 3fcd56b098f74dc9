import { runCommandLine } from './cli.ts';
import { connectPlace } from './place.ts';

process.exitCode = await runCommandLine(process.argv.slice(2), (place) => connectPlace(place, process.env), {
  out: (text) => process.stdout.write(`${text}\n`),
  err: (text) => process.stderr.write(`${text}\n`),
});
