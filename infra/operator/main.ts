import { runCommandLine } from './cli.ts';
import { connectTarget } from './target.ts';

process.exitCode = await runCommandLine(process.argv.slice(2), (target) => connectTarget(target, process.env), {
  out: (text) => process.stdout.write(`${text}\n`),
  err: (text) => process.stderr.write(`${text}\n`),
});
