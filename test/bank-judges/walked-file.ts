import { operations } from '@banking-order/fake-bank';
import { readCorrectedFile } from '#test/support/api-pix/bcb/corrections.ts';

/**
 * Values that lead somewhere where chance never hits one, by resource and name of a path's parameter, of one method
 * alone (`put cobr txid`) or of all (`cob txid`), or of a member of a body, wherever it is (`cobr idRec`). The first
 * comes most often.
 */
export type Likely = Readonly<Record<string, readonly unknown[]>>;

/** A part of the file. */
type Node = Readonly<Record<string, unknown>>;

const methods = ['get', 'put', 'post', 'patch', 'delete'];
const offered = new Set(
  operations.map(
    ({ method, path }) => `${method.toLowerCase()} ${path.slice('/v2'.length).replaceAll(/:\w+/gu, '{}')}`,
  ),
);

const isWalked = (method: string, path: string): boolean =>
  // What payers' banks read has paths of the same form.
  !path.includes('UrlAccessToken}') &&
  offered.has(`${method} ${path.replaceAll(/\{\w+\}/gu, '{}')}`) &&
  // The bank would call random addresses.
  !(method === 'put' && path.startsWith('/webhook'));

/**
 * The operations of BCB's corrected file that the bank of this machine has. Any of them may be refused with 400: the
 * text names `CobConsultaInvalida` and the like, the paths leave them out.
 */
export function readWalkedFile(likely: Likely): { readonly paths: Readonly<Record<string, Node>> } {
  const document = readCorrectedFile().document as Node & { readonly paths: Readonly<Record<string, Node>> };
  const problem = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problema' } } };
  const walked = (path: string, item: Node, method: string): Node => {
    const resource = path.split('/')[1] ?? '';
    const { requestBody, parameters = [], responses, ...operation } = item[method] as Node;
    const all = [...((item['parameters'] ?? []) as Node[]), ...(parameters as Node[])];
    return {
      ...operation,
      parameters: all.map((one) => narrowParameter(resolved(document, one), method, resource, likely)),
      responses: { 400: { description: 'Consulta inválida.', content: problem }, ...(responses as Node) },
      ...(requestBody !== undefined && { requestBody: narrowed(document, requestBody, resource, likely) }),
    };
  };
  const paths = Object.entries(document.paths).map(([path, item]): [string, Node] => {
    const own = methods.filter((method) => item[method] !== undefined && isWalked(method, path));
    return [path, Object.fromEntries(own.map((method) => [method, walked(path, item, method)]))];
  });
  return { ...document, paths: Object.fromEntries(paths.filter(([, item]) => Object.keys(item).length > 0)) };
}

function narrowParameter(parameter: Node, method: string, resource: string, likely: Likely): Node {
  const name = `${resource} ${String(parameter['name'])}`;
  const values = likely[`${method} ${name}`] ?? likely[name];
  return values === undefined || parameter['in'] !== 'path' ? parameter : { ...parameter, schema: { enum: values } };
}

function resolved(document: Node, node: Node): Node {
  const { $ref } = node;
  if (typeof $ref !== 'string') return node;
  const parts = $ref.slice(2).split('/');
  return resolved(
    document,
    parts.reduce((at, part) => at[part] as Node, document),
  );
}

/** A copy without references, whose members of these names have these values. Schemas of answers stay as they are. */
function narrowed(document: Node, node: unknown, resource: string, likely: Likely): unknown {
  if (node === null || typeof node !== 'object') return node;
  if (Array.isArray(node)) return node.map((one) => narrowed(document, one, resource, likely));
  const within = (value: unknown): unknown => narrowed(document, value, resource, likely);
  const member = ([name, schema]: [string, unknown]): [string, unknown] => {
    const values = likely[`${resource} ${name}`];
    return [name, values === undefined ? within(schema) : { enum: values }];
  };
  const members = Object.entries(resolved(document, node as Node)).map(([name, value]) => [
    name,
    name === 'properties' ? Object.fromEntries(Object.entries(value as Node).map(member)) : within(value),
  ]);
  return Object.fromEntries(members) as Node;
}
