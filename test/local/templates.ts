import type { LocalTemplate, TemplateResource } from '#infra/local/template/local-template.ts';

type Properties = Record<string, unknown>;

/** A template of one stack from `id: [type, properties]`, for tests that need no CDK. */
export function templateOf(
  resources: Record<string, readonly [type: string, properties?: Properties]>,
  more: {
    readonly stack?: string;
    readonly exports?: Record<string, { stack: string; value: unknown }>;
  } = {},
): LocalTemplate {
  const stack = more.stack ?? 'Service';
  const all = Object.entries(resources).map(([id, [type, properties = {}]]): [string, TemplateResource] => [
    id,
    { id, stack, type, properties },
  ]);
  return {
    stacks: new Map([[stack, { name: stack, resources: new Map(all) }]]),
    exports: new Map(Object.entries(more.exports ?? {})),
    assets: new Map(),
  };
}
