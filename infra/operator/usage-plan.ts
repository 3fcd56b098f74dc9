import type { APIGatewayClient } from '@aws-sdk/client-api-gateway';
import {
  ConflictException,
  CreateApiKeyCommand,
  CreateUsagePlanKeyCommand,
  GetApiKeysCommand,
} from '@aws-sdk/client-api-gateway';

export type PlanGateway = Pick<APIGatewayClient, 'send'>;

type PlanMember = { readonly companyId: string; readonly usagePlanId: string; readonly apiKeyId: string };

/**
 * Gives a company its own throttle: an API key whose value is the company's id, in the usage plan of the output
 * `CompanyPlanId`. Callers never send the key: the authorizer names it (`usageIdentifierKey`). Idempotent.
 * @throws Error of API Gateway: no such plan, no permission.
 */
export async function joinUsagePlan(
  gateway: PlanGateway,
  { companyId, usagePlanId }: Omit<PlanMember, 'apiKeyId'>,
): Promise<PlanMember> {
  const apiKeyId = (await createKey(gateway, companyId)) ?? (await findKey(gateway, companyId));
  try {
    await gateway.send(new CreateUsagePlanKeyCommand({ usagePlanId, keyId: apiKeyId, keyType: 'API_KEY' }));
  } catch (error) {
    if (!(error instanceof ConflictException)) throw error;
  }
  return { companyId, usagePlanId, apiKeyId };
}

/** Creates an API key. @returns its id; undefined when a key has this value already */
async function createKey(gateway: PlanGateway, companyId: string): Promise<string | undefined> {
  const name = keyName(companyId);
  try {
    const { id } = await gateway.send(new CreateApiKeyCommand({ name, value: companyId, enabled: true }));
    return id;
  } catch (error) {
    if (error instanceof ConflictException) return undefined;
    throw error;
  }
}

async function findKey(gateway: PlanGateway, companyId: string): Promise<string> {
  const nameQuery = keyName(companyId);
  let position: string | undefined;
  do {
    const page = await gateway.send(new GetApiKeysCommand({ nameQuery, ...(position !== undefined && { position }) }));
    const id = (page.items ?? []).find(({ name }) => name === nameQuery)?.id;
    if (id !== undefined) return id;
    position = page.position;
  } while (position !== undefined);
  throw new Error(`An API key with the value ${companyId} exists under another name.`);
}

function keyName(companyId: string): string {
  return `banking-order-${companyId}`;
}
