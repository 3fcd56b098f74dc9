import * as z from 'zod';
import { resolve } from './intrinsics.ts';
import type { LocalTemplate } from './local-template.ts';
import { describeResource, LocalStartError } from './local-template.ts';
import { functionNameOf, physicalName } from './local-values.ts';

/** A resource with its properties resolved for this machine. */
export type Resource<Properties> = {
  /** Logical id. */
  readonly id: string;
  readonly name: string;
  /** How messages name it. */
  readonly title: string;
  readonly properties: Properties;
};

/**
 * Reads all resources of a type, in the order of the template, and resolves their properties.
 *
 * @throws LocalStartError with the resource and the property that has another shape.
 */
export type ReadResources = <Shape extends z.ZodType>(
  type: string,
  shape: Shape,
) => readonly Resource<z.output<Shape>>[];

/** @param sqs Base URL of the SQS engine, without a slash at the end. */
export function resourceReader(template: LocalTemplate, sqs: string): ReadResources {
  return (type, shape) =>
    template.resources
      .filter((resource) => resource.type === type)
      .map((resource) => {
        const { id, stack } = resource;
        const title = describeResource(resource);
        const parsed = shape.safeParse(resolve({ template, sqs, stack }, resource.properties));
        if (!parsed.success) throw new LocalStartError(`${title}: ${z.prettifyError(parsed.error)}`);
        return { id, name: physicalName(resource), title, properties: parsed.data };
      });
}

/** @throws LocalStartError unless the template has exactly one resource of the type. */
export function readTheOne<Shape extends z.ZodType>(
  read: ReadResources,
  type: string,
  shape: Shape,
): Resource<z.output<Shape>> {
  const [resource, ...others] = read(type, shape);
  if (resource !== undefined && others.length === 0) return resource;
  throw new LocalStartError(
    `The local environment runs one ${type}; the template has ${resource === undefined ? 'none' : others.length + 1}.`,
  );
}

/** Returns the shape of a property that the local environment does not support: its presence is an error. */
export function notRunLocally(features: string): z.ZodOptional<z.ZodUndefined> {
  return z.undefined({ error: `the local environment does not support ${features}` }).optional();
}

/** Name of the function in an ARN or an integration's URI. @throws LocalStartError for another target. */
export function targetOf({ title }: Resource<unknown>, uri: string): string {
  const name = functionNameOf(uri);
  if (name !== undefined) return name;
  throw new LocalStartError(`${title} does not call a Lambda function: ${uri}.`);
}
