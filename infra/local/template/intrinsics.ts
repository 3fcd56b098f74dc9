import * as z from 'zod';
import type { LocalTemplate, TemplateResource } from './local-template.ts';
import { LocalStartError, describeResource } from './local-template.ts';

/** What references become on this machine. */
export type LocalValues = {
  readonly pseudo: Readonly<Record<string, string>>;
  readonly ref: (resource: TemplateResource) => string;
  readonly attribute: (resource: TemplateResource, name: string) => string;
};

/** Resolves a value of a stack: intrinsic functions are replaced. */
export type Resolve = (stack: string, value: unknown) => unknown;

type Context = {
  readonly template: LocalTemplate;
  readonly values: LocalValues;
  readonly stack: string;
};

/**
 * Intrinsic functions of CloudFormation ("Intrinsic function reference" of its user guide) as far as the template of
 * this service uses them.
 *
 * @throws LocalStartError for an unknown function, reference, attribute or import: never a guess.
 */
export function createResolver(template: LocalTemplate, values: LocalValues): Resolve {
  return (stack, value) => resolve({ template, values, stack }, value);
}

function resolve(context: Context, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => resolve(context, item));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  const [only] = entries;
  if (entries.length === 1 && only !== undefined && (only[0] === 'Ref' || only[0].startsWith('Fn::'))) {
    return intrinsic(context, only[0], only[1]);
  }
  return Object.fromEntries(entries.map(([key, item]) => [key, resolve(context, item)]));
}

function intrinsic(context: Context, name: string, argument: unknown): unknown {
  switch (name) {
    case 'Ref':
      return ref(context, text(name, argument));
    case 'Fn::GetAtt':
      return getAtt(context, list(name, argument));
    case 'Fn::Join': {
      const [delimiter, items] = list(name, argument);
      return list(name, resolve(context, items))
        .map((item) => text(name, item))
        .join(text(name, delimiter));
    }
    case 'Fn::Sub':
      return substitute(context, text(name, argument));
    case 'Fn::Select': {
      const [index, items] = list(name, argument);
      const chosen = list(name, resolve(context, items))[Number(resolve(context, index))];
      if (chosen === undefined)
        throw new LocalStartError(`Fn::Select finds nothing at ${JSON.stringify(index)} in ${context.stack}.`);
      return chosen;
    }
    case 'Fn::Split': {
      const [delimiter, source] = list(name, argument);
      return text(name, resolve(context, source)).split(text(name, delimiter));
    }
    case 'Fn::ImportValue':
      return importValue(context, text(name, resolve(context, argument)));
    default:
      throw new LocalStartError(
        `The local environment does not know the intrinsic function ${name} (stack ${context.stack}).`,
      );
  }
}

function ref(context: Context, name: string): string {
  const pseudo = context.values.pseudo[name];
  if (pseudo !== undefined) return pseudo;
  const resource = context.template.stacks.get(context.stack)?.resources.get(name);
  if (resource !== undefined) return context.values.ref(resource);
  throw new LocalStartError(`Nothing is called ${name} in the stack ${context.stack}.`);
}

/** `["Id", "Attribute"]`. */
function getAtt(context: Context, argument: readonly unknown[]): string {
  const [id = '', attribute = ''] = argument.map((part) => text('Fn::GetAtt', part));
  const resource = context.template.stacks.get(context.stack)?.resources.get(id);
  if (resource === undefined)
    throw new LocalStartError(`Fn::GetAtt names ${id}, unknown in the stack ${context.stack}.`);
  return context.values.attribute(resource, attribute);
}

/** `${Name}` alone: anything else is no name of the stack. */
function substitute(context: Context, template: string): string {
  return template.replace(/\$\{([^}]*)\}/g, (_match, name: string) => ref(context, name));
}

function importValue(context: Context, name: string): unknown {
  const exported = context.template.exports.get(name);
  if (exported === undefined) throw new LocalStartError(`No stack exports ${name}, which ${context.stack} imports.`);
  return resolve({ ...context, stack: exported.stack }, exported.value);
}

function text(name: string, value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new LocalStartError(`${name} needs a text and has ${JSON.stringify(value)}.`);
}

function list(name: string, value: unknown): unknown[] {
  if (Array.isArray(value)) return value as unknown[];
  throw new LocalStartError(`${name} needs a list and has ${JSON.stringify(value)}.`);
}

/** A property whose presence is an error: the local environment does not run what it means. */
export function notRunLocally(what: string): z.ZodOptional<z.ZodUndefined> {
  return z.undefined({ error: `${what} are not run locally` }).optional();
}

/**
 * The properties of a resource, resolved and in the shape that the local environment runs.
 *
 * @throws LocalStartError naming the resource and the property that is otherwise.
 */
export function readProperties<T extends z.ZodType>(
  shape: T,
  resource: TemplateResource,
  resolve: Resolve,
): z.output<T> {
  const parsed = shape.safeParse(resolve(resource.stack, resource.properties));
  if (parsed.success) return parsed.data;
  throw new LocalStartError(`${describeResource(resource)}: ${z.prettifyError(parsed.error)}`);
}
