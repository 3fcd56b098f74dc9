// npm run newcomer: from `git clone` to a verified notification in a receiver, only with the commands of README.md.
import { execFileSync } from 'node:child_process';
import { chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { freePort } from '@banking-order/cdk-local';
import { pastingShells, shellBlocksIn } from '../support/shell-blocks.ts';
import type { Seat, Terminal } from './terminal.ts';
import { openTerminal } from './terminal.ts';

const usage = `npm run tool -- test/newcomer/main.ts [--shell NAME] [--user NAME]

Clones the committed files into an empty home folder and pastes the commands of README.md into terminals, until the
receiver of README.md has verified a notification. Prints the seconds after each step, and fails above the limit in
README.md.

  --shell  ${pastingShells.join(', ')} (default: all)
  --user   root or nobody, the users of the system (default: both; needs root)`;

const root = join(import.meta.dirname, '../..');
const users: Readonly<Record<string, number>> = { root: 0, nobody: 65_534 };
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const boundMs = Number(/less\s+than (\d+) minutes/u.exec(readme)?.[1]) * 60_000;

/** The blocks of one section of a clone's README, in order. */
function blocksOf(document: string, section: string): readonly string[] {
  return shellBlocksIn('README.md', document)
    .filter((block) => block.section === section)
    .map(({ text }) => text);
}

/** A clean environment: of npm's and this process's settings only those of the network. */
function environmentOf(home: string): Readonly<Record<string, string>> {
  const excluded = /^(?:npm_|INIT_CWD$|NODE_OPTIONS$|NODE$|PORT$|LOCAL_DIR$|HOME$|PATH$|.*_(?:SECRET|TOKEN|KEY)$)/iu;
  const kept = Object.entries(process.env).filter(([name]) => !excluded.test(name)) as [string, string][];
  const registry = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim();
  const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
  return { ...Object.fromEntries(kept), HOME: home, PATH: path, npm_config_registry: registry };
}

/** Plays it once. @returns Seconds after which each step was done. */
async function play(shell: string, uid: number): Promise<Readonly<Record<string, number>>> {
  const home = mkdtempSync(join(tmpdir(), 'newcomer-'));
  const terminals: Terminal[] = [];
  const began = performance.now();
  const seconds: Record<string, number> = {};
  const done = (step: string): void => {
    seconds[step] = Math.round((performance.now() - began) / 1000);
  };
  const leave = async (): Promise<void> => {
    for (const terminal of terminals.toReversed()) await terminal.close();
    rmSync(home, { recursive: true, force: true });
  };
  // Terminals are groups of their own: no signal to this one reaches them.
  const cutShort = (): void => void leave().finally(() => process.exit(1));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, cutShort);
  try {
    mkdirSync(join(home, 'home'));
    // By default Git clones no folder of another user.
    writeFileSync(join(home, 'home/.gitconfig'), '[safe]\n\tdirectory = *\n');
    for (const folder of [home, join(home, 'home')]) chownSync(folder, uid, uid);
    // Other processes of this machine use the ports of README.md.
    const env = { ...environmentOf(join(home, 'home')), PORT: '0' };
    const seat = { shell, uid, env };
    execFileSync('git', ['clone', '--quiet', root, join(home, 'clone')], { env, uid, gid: uid });
    done('cloned');
    await follow({ ...seat, cwd: join(home, 'clone') }, terminals, done);
    return seconds;
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, cutShort);
    await leave();
  }
}

/** The blocks, each in the terminal in which README.md has it. */
async function follow(seat: Seat, terminals: Terminal[], done: (step: string) => void): Promise<void> {
  const document = readFileSync(join(seat.cwd, 'README.md'), 'utf8');
  const port = String(await freePort());
  const [start = '', demo = ''] = blocksOf(document, 'Run it');
  const [receive = '', listen = '', trigger = ''] = blocksOf(document, 'Receive its notifications');
  const open = (): Terminal => {
    const terminal = openTerminal(seat);
    terminals.push(terminal);
    return terminal;
  };
  const first = open();
  first.paste(start);
  await first.untilSaid(/^ready http/mu, boundMs);
  done('ready');
  const second = open();
  second.paste(demo);
  await second.untilSaid(/Every check passed\./u, boundMs);
  done('demo');
  second.paste(blocksOf(document, 'Call it').join('\n'));
  await second.untilSaid(/"verified":true/u, boundMs);
  done('called');
  const [, program = ''] = /^```js\n(.*?)^```$/msu.exec(document) ?? [];
  writeFileSync(join(seat.cwd, 'receiver.mjs'), program.replace('4000', port));
  second.paste(receive);
  const third = open();
  third.paste(listen.replace('4000', port));
  await third.untilSaid(/^Forwarding /mu, boundMs);
  open().paste(trigger);
  await second.untilSaid(/verified ORDER-PAYIN\.PAID /mu, boundMs);
  done('verified');
}

const text = { type: 'string' } as const;
const { values } = parseArgs({ options: { shell: text, user: text, help: { type: 'boolean' } } });
const shells = pastingShells.filter((shell) => shell === (values.shell ?? shell));
const chosen = Object.entries(users).filter(([user]) => user === (values.user ?? user));
if (values.help === true || shells.length === 0 || chosen.length === 0) {
  console.log(usage);
  process.exitCode = values.help === true ? 0 : 2;
} else {
  let failed = 0;
  for (const [user, uid] of chosen)
    for (const shell of shells) {
      const seconds = await play(shell, uid);
      const steps = Object.entries(seconds).map(([step, at]) => `${step} ${at} s`);
      const holds = (seconds['verified'] ?? Infinity) * 1000 < boundMs;
      if (!holds) failed += 1;
      console.log(`${holds ? '✔' : '✘'} ${shell} as ${user}: ${steps.join(', ')} (limit ${boundMs / 1000} s)`);
    }
  console.log(`${chosen.length * shells.length - failed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}
