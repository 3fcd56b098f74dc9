import { existsSync } from 'node:fs';
import { routes } from '#functions/routes.ts';
import type { Contract, ExampleOf } from '#shared/contract/contract.ts';

export type Example = ExampleOf<Contract>;

type Exporting = { readonly example: Example | (() => Example) };

/** The example of every operation, from its contract, or from `example.ts` beside it. One without fails here. */
const examples: ReadonlyMap<string, Example> = new Map(
  await Promise.all(
    routes.map(async ({ folder, contract }): Promise<[string, Example]> => {
      const beside = new URL(`../../../functions/${folder}/example.ts`, import.meta.url);
      const file = existsSync(beside) ? beside : new URL('contract.ts', beside);
      const { example } = (await import(/* @vite-ignore */ file.href)) as Exporting;
      return [contract.operationId, typeof example === 'function' ? example() : example];
    }),
  ),
);

/** @throws Error for an operation without an example. */
export function exampleOf({ operationId }: Pick<Contract, 'operationId'>): Example {
  const example = examples.get(operationId);
  if (example === undefined) throw new Error(`${operationId} has no example.`);
  return example;
}
