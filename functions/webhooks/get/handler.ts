import type { Operation } from '#shared/contract/contract.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { readEndpoints } from '#shared/webhooks/health/operations.ts';
import type { Reading } from '#shared/platform/dependencies.ts';
import { realTimeDependencies } from '#shared/platform/dependencies.ts';
import { webhookSettingsView } from '#shared/webhooks/view.ts';
import { GetWebhookSettings } from './contract.ts';

export const getWebhookSettings: Operation<typeof GetWebhookSettings, Reading> = async ({ caller }, { store }) => {
  return { status: 200, body: webhookSettingsView(await readEndpoints(store, caller.companyId)) };
};

export const handler = endpoint(GetWebhookSettings, getWebhookSettings, realTimeDependencies);
