import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { posix } from 'node:path';
import type { File } from './drawings.ts';

/** Paths from the project's root, where every npm script runs. */
const guide = 'docs/partners.md';
const errors = 'docs/errors.md';

const types: Readonly<Record<string, string>> = {
  '.md': 'text/markdown; charset=utf-8',
  '.json': 'application/json',
};

/**
 * Returns the pages for partners as Markdown, with all that they lead to, at their paths in the project; and each error
 * of docs/errors.md at `/docs/errors/` and its code.
 */
export function guideFiles(): Readonly<Record<string, File>> {
  const pages = [...reachedFrom(guide)].map((path): [string, File] => [
    `/${path}`,
    { type: types[posix.extname(path)] ?? 'text/plain; charset=utf-8', read: () => readFile(path) },
  ]);
  const ofErrors = [...errorParts().keys()].map((code): [string, File] => [
    `/docs/errors/${code}`,
    { type: 'text/markdown; charset=utf-8', read: () => errorParts().get(code) ?? '' },
  ]);
  return Object.fromEntries([...pages, ...ofErrors]);
}

/**
 * Returns the list of the pages for language models (llmstxt.org): name, summary, and links by section, from
 * docs/partners.md.
 */
export async function llmsText(baseUrl: string): Promise<string> {
  const readme = await readFile('README.md', 'utf8');
  const [name = '', summary = ''] = readme.split('\n\n');
  const [, steps = '', ...sections] = (await readFile(guide, 'utf8')).split(/\n(?=## |1\. )/u);
  const linked = ['## Guide\n\n' + steps.replaceAll(/^\d+\. /gmu, '- '), ...sections].map((section) =>
    section.trimEnd().replaceAll(linkPattern, (_link, target: string) => `](${baseUrl}/${targetOf(guide, target)})`),
  );
  const plain = summary.replaceAll(/\s*\[[^\]]*\]\([^)]*\)\.?/gu, '').replaceAll('\n', ' ');
  return `${[name, `> ${plain}`, ...linked].join('\n\n')}\n`;
}

const linkPattern = /\]\((?!https?:)([^)#]+)[^)]*\)/gu;

/** Returns the path of a link's target from the project's root. */
function targetOf(page: string, target: string): string {
  return posix.join(posix.dirname(page), target);
}

/** Returns the page and all files that its links lead to, also over other pages. */
function reachedFrom(first: string): ReadonlySet<string> {
  const reached = new Set([first]);
  for (const path of reached) {
    if (!path.endsWith('.md')) continue;
    for (const [, target = ''] of readFileSync(path, 'utf8').matchAll(linkPattern)) reached.add(targetOf(path, target));
  }
  return reached;
}

/** Returns the part of docs/errors.md about each status and issue, by its code as in the links of errors. */
function errorParts(): ReadonlyMap<string, string> {
  const parts = readFileSync(errors, 'utf8').split(/^(?=##+ )/mu);
  return new Map(
    parts.flatMap((part): [string, string][] => {
      const [, code] = /^### `(\w+)`$/mu.exec(part) ?? [];
      return code === undefined ? [] : [[code.toLowerCase(), part.replace('### ', '# ')]];
    }),
  );
}
