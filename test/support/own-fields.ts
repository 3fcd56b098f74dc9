import { schemas } from '#tools/docs/schemas.ts';
import type { Contract } from '#shared/contract/contract.ts';
import type { Detail } from '#shared/core/errors.ts';

type Node = {
  readonly properties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
  readonly oneOf?: readonly Node[];
};

const { inline } = schemas();

type Failed = { readonly status: number; readonly details: readonly Detail[] };

/**
 * Whether an error names what the operation has: fields, parameters and headers of its request; where the state of a
 * resource is wrong, also what its answer shows. An unknown name is just none of them.
 */
export function namesItsOwn(contract: Contract): (error: Failed) => boolean {
  const { params, query, body, idempotencyKey, responses } = contract;
  const sent = [params, query, body].flatMap((schema) => pathsOf(inline(schema, 'input') as Node));
  const key = idempotencyKey === 'none' ? [] : ['idempotency-key'];
  const answered = Object.values(responses).flatMap((schema) => pathsOf(inline(schema, 'output') as Node));
  const ofRequest = new Set([...sent, ...key]);
  const ofResource = new Set([...ofRequest, ...answered]);
  return ({ status, details }) =>
    (details.length > 0 || status === 404) &&
    details.every(({ field, issue }) => {
      const known = (status === 409 ? ofResource : ofRequest).has(field.replaceAll(/\.\d+/gu, '[]'));
      return known !== (issue === 'UNKNOWN_FIELD');
    });
}

function pathsOf({ properties, items, oneOf }: Node): readonly string[] {
  const own = Object.entries(properties ?? {}).flatMap(([name, inside]) => [
    name,
    ...pathsOf(inside).map((path) => (path.startsWith('[]') ? `${name}${path}` : `${name}.${path}`)),
  ]);
  const each = items ? ['[]', ...pathsOf(items).map((path) => `[].${path}`)] : [];
  return [...own, ...each, ...(oneOf ?? []).flatMap(pathsOf)];
}
