/**
 * The synthesized stacks of one stage as the local runner reads them: resources, parameters, outputs and assets,
 * nothing resolved yet.
 */

export type TemplateResource = {
  /** Logical id in its stack. */
  readonly id: string;
  readonly stack: string;
  readonly type: string;
  /** As in the template: intrinsic functions are still objects. */
  readonly properties: Readonly<Record<string, unknown>>;
};

export type TemplateStack = {
  readonly name: string;
  readonly resources: ReadonlyMap<string, TemplateResource>;
  /** Default values of the parameters that have one. */
  readonly parameters: ReadonlyMap<string, unknown>;
};

export type LocalTemplate = {
  readonly stacks: ReadonlyMap<string, TemplateStack>;
  /** Every export of every stack, by name: the value is still unresolved and belongs to `stack`. */
  readonly exports: ReadonlyMap<string, { readonly stack: string; readonly value: unknown }>;
  /** Directory of an asset by its object key (`<hash>.zip`), absolute. */
  readonly assets: ReadonlyMap<string, string>;
};

/**
 * A problem of the template or of the machine that the person who starts the environment can act on: printed as one
 * line, without a stack.
 */
export class LocalStartError extends Error {
  override readonly name = 'LocalStartError';
}

/** All resources of one of the types, in the order of the template. */
export function resourcesOf(template: LocalTemplate, ...types: readonly string[]): readonly TemplateResource[] {
  return allResources(template).filter((resource) => types.includes(resource.type));
}

/** Every resource of every stack. */
export function allResources(template: LocalTemplate): readonly TemplateResource[] {
  return [...template.stacks.values()].flatMap((stack) => [...stack.resources.values()]);
}

/** How messages name a resource: type, stack and logical id. */
export function describeResource(resource: TemplateResource): string {
  return `${resource.type} ${resource.stack}.${resource.id}`;
}
