import type { LocalTemplate } from '#cdk-local/template/local-template.ts';
import type { ReadResources } from '#cdk-local/template/resources.ts';
import { resourceReader } from '#cdk-local/template/resources.ts';

type Resources = Record<string, readonly [type: string, properties?: Record<string, unknown>]>;

/** A template of one stack from `id: [type, properties]`, for tests that need no CDK. */
export function templateOf(resources: Resources, stack = 'Service'): LocalTemplate {
  return {
    resources: Object.entries(resources).map(([id, [type, properties = {}]]) => ({ id, stack, type, properties })),
    exports: new Map(),
    assets: new Map(),
  };
}

export const sqs = 'http://127.0.0.1:9324';

/** What reads the resources of such a template. */
export function readerOf(resources: Resources): ReadResources {
  return resourceReader(templateOf(resources), sqs);
}
