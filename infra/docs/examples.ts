import { routes } from '#functions/routes.ts';
import type { Contract, ExampleOf } from '#shared/contract/contract.ts';

export type Example = ExampleOf<Contract>;

/** The example of every operation, from its contract. An endpoint without one fails here. */
const examples: ReadonlyMap<string, Example> = new Map(
  await Promise.all(
    routes.map(async ({ folder, contract }): Promise<[string, Example]> => {
      const file = new URL(`../../functions/${folder}/contract.ts`, import.meta.url);
      const module = (await import(/* @vite-ignore */ file.href)) as { readonly example: () => Example };
      return [contract.operationId, module.example()];
    }),
  ),
);

/** @throws Error for an operation without an example. */
export function exampleOf({ operationId }: Pick<Contract, 'operationId'>): Example {
  const example = examples.get(operationId);
  if (example === undefined) throw new Error(`${operationId} has no example.`);
  return example;
}
