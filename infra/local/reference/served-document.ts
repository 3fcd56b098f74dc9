import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { exampleIds } from '#shared/contract/examples.ts';

const file = new URL('../../../docs/openapi.json', import.meta.url);

/** What is replaced in the document; everything else is handed on as it is. */
const Document = z.looseObject({
  servers: z.unknown(),
  security: z.unknown(),
  components: z.looseObject({
    securitySchemes: z.strictObject({
      oauth2: z.looseObject({
        flows: z.strictObject({
          clientCredentials: z.strictObject({ tokenUrl: z.string(), scopes: z.record(z.string(), z.string()) }),
        }),
      }),
    }),
  }),
});

/** Where this environment is, and one of its accounts. */
export type Place = {
  readonly baseUrl: string;
  readonly tokenUrl: string;
  readonly scope: string;
  readonly accountId: string | undefined;
};

/**
 * docs/openapi.json with the addresses of this environment, and with one of its accounts in the examples, so that they
 * can be sent as they stand.
 */
export async function servedDocument({ baseUrl, tokenUrl, scope, accountId }: Place): Promise<string> {
  const text = await readFile(file, 'utf8');
  const own = accountId === undefined ? text : text.replaceAll(exampleIds.accountId, accountId);
  const document = Document.parse(JSON.parse(own));
  const { securitySchemes } = document.components;
  const [meaning = ''] = Object.values(securitySchemes.oauth2.flows.clientCredentials.scopes);
  const flows = { clientCredentials: { tokenUrl, scopes: { [scope]: meaning } } };
  return JSON.stringify({
    ...document,
    servers: [{ url: baseUrl, description: 'This environment.' }],
    security: [{ oauth2: [scope] }],
    components: { ...document.components, securitySchemes: { oauth2: { ...securitySchemes.oauth2, flows } } },
  });
}
