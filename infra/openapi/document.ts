import type { Route } from '../../functions/routes.ts';
import { errorResponses, errorSchemas, headers } from './errors.ts';
import { operationOf } from './operation.ts';
import type { JsonObject } from './schemas.ts';
import { schemas as newSchemas } from './schemas.ts';
import { webhooksOf } from './webhooks.ts';

const DESCRIPTION = `Recurring PIX subscriptions, pay-ins, payouts, accounts and signed webhooks of a payment company.

- Amounts are decimal texts in BRL with two decimals; a request may also send a JSON number. They are never rounded.
- Instants are UTC with milliseconds; days and hours of the day are Brasilia's.
- A field that a request does not know is refused: a mistyped name never goes unnoticed.
- Operations marked \`x-simulation\` do not exist in production.`;

/** The OpenAPI 3.1 document of these endpoints: everything in it is derived from their contracts. */
export function openApiDocument(routes: readonly Route[], version: string): JsonObject {
  const schemas = newSchemas();
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const { contract, simulation } of routes) {
    const methods = (paths[contract.path] ??= {});
    methods[contract.method.toLowerCase()] = operationOf(contract, simulation === true, schemas);
  }
  const webhooks = webhooksOf(schemas);
  const tags = [...new Set(routes.map(({ contract }) => contract.tag)), 'Notifications'];
  return {
    openapi: '3.1.0',
    info: { title: 'Banking Order Service', version, description: DESCRIPTION },
    servers: [
      {
        url: '{baseUrl}',
        variables: { baseUrl: { default: 'http://127.0.0.1:3000', description: 'Address of the environment.' } },
      },
    ],
    security: [{ token: [] }],
    tags: tags.map((name) => ({ name })),
    paths,
    webhooks,
    components: {
      schemas: { ...schemas.components(), ...errorSchemas },
      responses: errorResponses,
      headers,
      parameters: {
        RequestId: {
          name: 'x-request-id',
          in: 'header',
          required: false,
          description: 'A UUID by which both sides find this request in their logs.',
          schema: { type: 'string', format: 'uuid' },
        },
      },
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'OAuth 2.0 client credentials, scope `api://app-order-<environment>/.default`.',
        },
      },
    },
  };
}
