import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import type { OperationId } from '../operations.ts';
import { operationIds } from '../operations.ts';
import type { Route } from '../published.ts';

const documentFile = fileURLToPath(new URL('../../../docs/openapi.json', import.meta.url));

const Parameter = z.looseObject({ name: z.string().optional(), $ref: z.string().optional() });
const Operation = z.object({ operationId: z.string(), parameters: z.array(Parameter).default([]) });
const Document = z.object({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) });

export type Routes = Readonly<Record<OperationId, Route>>;

/**
 * The operations that the page may use, as the OpenAPI document describes them: the console calls nothing else.
 * @throws Error naming an operation that the document does not have.
 */
export function readRoutes(text = readFileSync(documentFile, 'utf8')): Routes {
  const { paths } = Document.parse(JSON.parse(text));
  const all = new Map(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, described]) => {
        const operation = Operation.safeParse(described).data;
        if (operation === undefined) return [];
        const takesKey = operation.parameters.some(({ name, $ref }) =>
          /^idempotency-?key$/iu.test(name ?? lastOf($ref)),
        );
        return [[operation.operationId, { method: method.toUpperCase(), path, takesKey }] as const];
      }),
    ),
  );
  const routeOf = (operation: string): Route => {
    const route = all.get(operation);
    if (route === undefined) throw new Error(`docs/openapi.json has no operation ${operation}.`);
    return route;
  };
  return Object.fromEntries(Object.keys(operationIds).map((id) => [id, routeOf(id)])) as Routes;
}

/** Name of what a reference of the document names. */
function lastOf(reference = ''): string {
  return reference.split('/').at(-1) ?? '';
}

export function isOperation(text: string): text is OperationId {
  return Object.hasOwn(operationIds, text);
}
