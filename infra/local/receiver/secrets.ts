import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { companyIds, parseCompany } from '#shared/platform/company.ts';
import { connectStore } from '#shared/platform/table/dynamo-store.ts';
import { keys } from '#shared/platform/table/keys.ts';
import { parseWebhookSecret } from '#shared/webhooks/settings-store.ts';
import type { Signer } from './signatures.ts';

/**
 * Reads every company with the secrets it has at that moment: a rotation is known at once, whoever made it. Only here,
 * where one process has the whole table, may anybody but the sender look at them.
 */
export function secretsOf(dynamodb: DynamoDBClient, tableName: string): () => Promise<readonly Signer[]> {
  const store = connectStore(tableName, { client: DynamoDBDocumentClient.from(dynamodb) });
  return async () => {
    const signers: Signer[] = [];
    for await (const companyId of companyIds(store)) {
      const [company, secret] = await store.read([keys.company(companyId), keys.webhookSecret(companyId)]);
      if (company === undefined || secret === undefined) continue;
      const { current, previous } = parseWebhookSecret(secret);
      const secrets = { current, ...(previous !== undefined && { previous }) };
      signers.push({ companyId, name: parseCompany(company).name, secrets });
    }
    return signers;
  };
}
