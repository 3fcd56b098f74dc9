import { spawn } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { root } from '../architecture/sources.ts';

/** A block of shell in a document. */
type ShellBlock = { readonly path: string; readonly section: string; readonly language: string; readonly text: string };

const shells = ['sh', 'bash', 'zsh', 'shell', 'console'];

/** Every block of shell in a text, with the heading that it stands under. */
export function shellBlocksIn(path: string, document: string): readonly ShellBlock[] {
  return document.split(/^## /mu).flatMap((part) =>
    [...part.matchAll(/^( *)```(\w*)\n(.*?)^\1```$/gmsu)].flatMap(([, , language = '', block = '']) => {
      const section = part.slice(0, part.indexOf('\n'));
      // A block that does not say what it is may be a picture.
      const isShell = shells.includes(language) || (language === '' && /^ *(npm|npx|node|curl) /mu.test(block));
      return isShell ? [{ path, section, language, text: block }] : [];
    }),
  );
}

/** Those of everything that people read here. */
export function shellBlocks(): readonly ShellBlock[] {
  const paths = ['README.md', ...globSync(['docs/**/*.md', 'infra/**/*.md'], { cwd: root })];
  return paths.flatMap((path) => shellBlocksIn(path, readFileSync(join(root, path), 'utf8')));
}

/** How a shell begins at a terminal, without the files of its user. `dash` has none. */
export const interactive: Readonly<Record<string, readonly string[]>> = {
  bash: ['--norc', '--noprofile', '-i'],
  zsh: ['-f', '-i'],
  dash: ['-i'],
};
export const pastingShells = Object.keys(interactive);

/** Gives a shell lines as a user pastes them at its prompt, which is not how it reads a script. */
export async function paste(shell: string, lines: string, cwd: string, env: NodeJS.ProcessEnv = process.env) {
  const child = spawn(shell, interactive[shell] ?? [], { cwd, env: { ...env, HISTFILE: '', ENV: '' } });
  child.stdin.end(`${lines}\n`);
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { out, err };
}
