import { sources, textsIn } from './sources.ts';

/** The files that build keys, and no other. */
export const keyFiles = ['shared/platform/table/keys.ts', 'shared/platform/table/due-keys.ts'];
const parsed = sources.filter(({ path }) => keyFiles.includes(path));
if (parsed.length !== keyFiles.length) throw new Error(`Keys are built in ${keyFiles.join(' and ')}: where are they?`);

/** Every word that these files put before or behind a `#`, as `SUB`, `LINE`, `CYCLE`. */
export const keyWords: readonly string[] = [
  ...new Set(
    parsed.flatMap(({ tree }) =>
      textsIn(tree).flatMap(({ text }) =>
        [...text.matchAll(/([A-Z_]+)#|#([A-Z_]+)/gu)].map(([, before, behind]) => before ?? behind ?? ''),
      ),
    ),
  ),
];

/** Every word that is a whole sort key, as `BALANCE`. */
export const sortKeys: readonly string[] = parsed.flatMap(({ lines }) =>
  lines.flatMap((line) => [...line.matchAll(/\bkeyAt\(.*, '([A-Z_]+)'\)/gu)].map(([, word = '']) => word)),
);
