import { sources, textsIn } from './sources.ts';

const keysFile = sources.find(({ path }) => path === 'shared/platform/table/keys.ts');
if (keysFile === undefined) throw new Error('Keys are built in shared/platform/table/keys.ts: where is it?');

/** Every word that keys.ts puts before or behind a `#`, as `SUB`, `LINE`, `CYCLE`. */
export const keyWords: readonly string[] = [
  ...new Set(
    textsIn(keysFile.tree).flatMap(({ text }) =>
      [...text.matchAll(/([A-Z_]+)#|#([A-Z_]+)/gu)].map(([, before, behind]) => before ?? behind ?? ''),
    ),
  ),
];

/** Every word that is a whole sort key, as `BALANCE`. */
export const sortKeys: readonly string[] = keysFile.lines.flatMap((line) =>
  [...line.matchAll(/\bkeyAt\(.*, '([A-Z_]+)'\)/gu)].map(([, word = '']) => word),
);
