// npm run logs: shows the log of the functions, from the folder of a local environment. Ctrl-C ends --follow.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { levels, linesIn, shownLine } from './log-lines.ts';

const usage = `npm run logs -- [--level info|warn|error] [--request ID] [--follow] [--json]

--level    Only lines of this level and above. Default info.
--request  Only lines of the request with this x-request-id, or lines that name this id of anything else.
--follow   Goes on with new lines until Ctrl-C.
--json     Prints the lines as they are in LOCAL_DIR/functions.log. Metrics are left out, as always.`;

const argumentOptions = {
  level: { type: 'string', default: 'info' },
  request: { type: 'string' },
  follow: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
} as const;

/** Reads the arguments; undefined where they are wrong. */
function readLogOptions(args: readonly string[]) {
  try {
    const { values } = parseArgs({ args: [...args], options: argumentOptions });
    const level = levels.find((known) => known === values.level);
    return level && { level, id: values.request, follow: values.follow, json: values.json };
  } catch {
    return undefined;
  }
}

const readAgainMs = 300;

async function main(args: readonly string[], folder: string): Promise<number> {
  const options = readLogOptions(args);
  if (options === undefined) {
    console.error(usage);
    return 2;
  }
  const file = join(folder, 'functions.log');
  if (!options.follow && !existsSync(file)) {
    console.error(`Cannot find ${file}: start the environment with npm start, or name its folder by LOCAL_DIR.`);
    return 1;
  }
  const again = () => (options.follow ? sleep(readAgainMs, true) : Promise.resolve(false));
  for await (const line of linesIn(file, again)) {
    const shown = shownLine(line, options);
    if (shown !== undefined) console.log(shown);
  }
  return 0;
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2), process.env['LOCAL_DIR'] ?? '.local');
