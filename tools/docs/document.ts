import { mkdir, writeFile } from 'node:fs/promises';
import manifest from '../../package.json' with { type: 'json' };
import type { Route } from '#functions/routes.ts';
import { routes } from '#functions/routes.ts';
import type { TransitionTable } from '#shared/core/transition.ts';
import { transitions } from '#functions/transitions.ts';
import { environments } from '#infra/environments.ts';
import { tokenPath } from '@banking-order/local-environment';
import { drawingPages } from './drawings/drawings.ts';
import { errorsPage } from './errors-page.ts';
import { guidePages } from './guide/guide.ts';
import { errorResponses, errorSchemas, headers } from './errors.ts';
import { linksOf } from './links.ts';
import { operationOf } from './operation.ts';
import type { JsonObject } from './schemas.ts';
import { openSchema, schemas as newSchemas } from './schemas.ts';
import { webhooksOf } from './webhooks.ts';

const description = `Recurring PIX subscriptions, pay-ins, payouts, accounts and signed webhooks of a payment company.

- Amounts are decimal texts in BRL with two decimals; a request may also send a JSON number. They are never rounded.
- Instants are UTC with milliseconds; days and hours of the day are Brasilia's.
- A field that a request does not know is refused: a mistyped name never goes unnoticed.
- Answers and notifications grow without a new version: ignore fields, events and values that you do not know. \`x-extensible-enum\`
  lists the values of today; an \`enum\`, as of every \`status\`, \`state\` and \`orderStatus\`, is closed.
- \`x-transitions\` lists what may become of each resource: from which status, by which trigger, to which one; \`by\` says whether
  the bank does it (outside production the simulation tools) or the service itself.
- Operations marked \`x-simulation\` do not exist in production.
- Outside production any request may carry the header \`x-simulate\`: \`lost-reply\` (carried out, answered with 504), \`unavailable\` (503), \`too-many-requests\` (429) or \`slow=N\` (answered N milliseconds late). Production takes no notice of it.`;

const localBaseUrl = 'http://127.0.0.1:3000';
const scope = `${environments.local.tokens.scope}/.default`;

const tagMeanings: Readonly<Record<string, string>> = {
  Accounts: 'Accounts of the company, their balances and statements.',
  'PIX keys': 'E-mail addresses and phones that lead to an account, once their holder confirmed them.',
  'Pay-ins': 'Money received by PIX, and its refunds.',
  Credits: 'Unexpected money: received by PIX, and expected by no open charge.',
  Disputes: 'Payments that their payers claim back (MED).',
  Payouts: 'Money sent by PIX or TED.',
  Subscriptions: 'Recurrences (PIX Automático): authorized once by the payer, charged again and again.',
  'Scheduled payments': 'The charges of a subscription.',
  Webhooks: 'Where notifications go, and what became of each.',
  'Simulation tools': 'Stand for the bank’s callbacks and the clock. Not available in production.',
  Notifications: 'What the service POSTs to your endpoints.',
};

/** The tables of transitions, as data for clients, without the transitions that only a bank can cause (`bankAlone`). */
const documentedTransitions: JsonObject = Object.fromEntries(
  Object.entries<TransitionTable>(transitions).map(([resource, rows]) => [
    resource,
    (['bank', 'service'] as const).flatMap((by) => rows[by].map(([from, trigger, to]) => ({ from, trigger, to, by }))),
  ]),
);

const openErrorSchemas: JsonObject = Object.fromEntries(
  Object.entries(errorSchemas).map(([name, schema]) => [name, openSchema(schema)]),
);

/** The OpenAPI 3.1 document of these endpoints, from their contracts. */
export function openApiDocument(routes: readonly Route[], version: string): JsonObject {
  const schemas = newSchemas();
  const paths: Record<string, Record<string, JsonObject>> = {};
  const links = linksOf(routes.map(({ contract }) => contract));
  for (const { contract, simulation } of routes) {
    const methods = (paths[contract.path] ??= {});
    methods[contract.method.toLowerCase()] = operationOf(contract, simulation === true, { schemas, links });
  }
  const notifications = webhooksOf(schemas);
  const tags = [...new Set(routes.map(({ contract }) => contract.tag)), 'Notifications'];
  return {
    openapi: '3.1.0',
    info: {
      title: 'Banking Order Service',
      version,
      description,
      contact: { name: 'The operator of the environment' },
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    servers: [
      {
        url: '{baseUrl}',
        variables: { baseUrl: { default: localBaseUrl, description: 'Address of the environment.' } },
      },
    ],
    security: [{ oauth2: [scope] }],
    tags: tags.map((name) => ({ name, description: tagMeanings[name] ?? null })),
    paths,
    // By reference: from inline webhooks client generators create calls that do not compile.
    webhooks: Object.fromEntries(
      Object.keys(notifications).map((name) => [name, { $ref: `#/components/pathItems/${name}` }]),
    ),
    'x-transitions': documentedTransitions,
    components: {
      schemas: { ...schemas.components(), ...openErrorSchemas },
      responses: errorResponses,
      headers,
      pathItems: notifications,
      parameters: {
        RequestId: {
          name: 'x-request-id',
          in: 'header',
          required: false,
          description:
            'A UUID by which both sides find this request in their logs. Any other text is passed over, and a new id given.',
          schema: { type: 'string' },
          example: '0d9c8b7a-6f5e-4d3c-8b2a-190817263544',
        },
      },
      securitySchemes: {
        oauth2: {
          type: 'oauth2',
          description:
            'Client credentials (RFC 6749, 4.4): a token for an hour or so, sent as `Authorization: Bearer …`. Token URL and ' +
            'scope are those of the environment; here those of the local one.',
          flows: {
            clientCredentials: {
              tokenUrl: `${localBaseUrl}${tokenPath}`,
              scopes: { [scope]: 'Every operation, for the company of the client.' },
            },
          },
        },
      },
    },
  };
}

/** Writes docs/openapi.json, docs/errors.md, the drawings, and the blocks of README and guide (`npm run openapi`). */
if (import.meta.main) {
  const docs = new URL('../../docs/', import.meta.url);
  const document = openApiDocument(routes, manifest.version);
  await writeFile(new URL('openapi.json', docs), `${JSON.stringify(document, null, 2)}\n`);
  await writeFile(new URL('errors.md', docs), errorsPage());
  for (const folder of ['drawings/', 'pt-BR/drawings/']) await mkdir(new URL(folder, docs), { recursive: true });
  for (const [name, page] of [...drawingPages(), ...guidePages()]) await writeFile(new URL(name, docs), page);
}
