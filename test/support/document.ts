import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import manifest from '../../package.json' with { type: 'json' };
import { routes } from '#functions/routes.ts';
import { openApiDocument } from '#tools/docs/document.ts';
import type { Components, Schema } from './any-value.ts';

type Content = {
  readonly 'application/json': {
    readonly schema: Schema;
    readonly example?: unknown;
    readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
  };
};
type Link = {
  readonly operationId: string;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly 'x-request-body'?: Readonly<Record<string, string>>;
};
type Parameter = {
  readonly name?: string;
  readonly in?: string;
  readonly description?: string;
  readonly schema?: Schema;
  readonly example?: unknown;
};
export type Answer = {
  readonly $ref?: string;
  readonly content?: Content;
  readonly links?: Readonly<Record<string, Link>>;
};
type Operation = {
  readonly operationId: string;
  readonly summary?: string;
  readonly description?: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, Answer>>;
};
type Document = {
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<Record<string, { readonly $ref: string }>>;
  readonly components: {
    readonly schemas: Components;
    readonly responses: Readonly<Record<string, Answer>>;
    readonly pathItems: Readonly<Record<string, { readonly post: Operation }>>;
  };
};

/** The document as it is written to docs/openapi.json. */
export const documentText = `${JSON.stringify(openApiDocument(routes, manifest.version), null, 2)}\n`;
export const document = JSON.parse(documentText) as Document;
export const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, path, operation })),
);

/** Schemas of the document, compiled: strict mode refuses what JSON Schema does not know. */
export const ajv = new Ajv2020({ strict: true, strictRequired: false, strictTypes: false, allErrors: true });
formats.default(ajv, ['uuid', 'date', 'date-time']);
// Whether an address may be called is not a matter of form: the target guard says so.
ajv.addFormat('uri', true);
// The values of today: a client takes any other.
ajv.addKeyword('x-extensible-enum');
const standing = (schema: Schema): Schema =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/components/schemas/', '"')) as Schema;
for (const [name, schema] of Object.entries(document.components.schemas)) ajv.addSchema(standing(schema), name);

/** A schema of the document as a check of values. */
export function check(schema: Schema) {
  return ajv.compile(standing(schema));
}
