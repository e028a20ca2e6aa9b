import { randomUUID } from 'node:crypto';
import { isObject, type JsonObject } from '../json.ts';

/** A tool that the caller defines: its name and the JSON schema of its input. */
export interface ToolDefinition {
  readonly name: string;
  readonly schema: JsonObject;
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON text of the arguments. */
  readonly input: string;
}

/** Parses the tools of any protocol: Chat nests them in `function`, Messages calls the schema `input_schema`. */
export function readTools(value: unknown): readonly ToolDefinition[] {
  if (!Array.isArray(value)) return [];
  return value.filter(isObject).flatMap((entry) => {
    const tool = isObject(entry['function']) ? entry['function'] : entry;
    const schema = tool['parameters'] ?? tool['input_schema'];
    const name = tool['name'];
    return typeof name === 'string' ? [{ name, schema: isObject(schema) ? schema : {} }] : [];
  });
}

/** Whether a request of any protocol offers tools; Chat once called them `functions`. */
export function offersTools(body: JsonObject): boolean {
  const tools = body['tools'] ?? body['functions'];
  return Array.isArray(tools) && tools.length > 0;
}

/** Calls the first tool with arguments that fit the required part of its schema. */
export function callTool(tools: readonly ToolDefinition[]): ToolCall | undefined {
  const [offer] = tools;
  if (!offer) return undefined;
  return createCall(offer.name, sampleObject(offer.schema));
}

/** Creates a call with an id of its own. */
export function createCall(name: string, input: JsonObject): ToolCall {
  const id = randomUUID().replaceAll('-', '').slice(0, 24);
  return { id, name, input: JSON.stringify(input) };
}

function sampleObject(schema: JsonObject): JsonObject {
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
  const requiredProperties = Object.entries(properties).filter(([name]) => required.includes(name));
  return Object.fromEntries(requiredProperties.map(([name, property]) => [name, sample(property)]));
}

function sample(schema: unknown): unknown {
  if (!isObject(schema)) return 'sandbox';
  if (Array.isArray(schema['enum'])) return schema['enum'][0];
  switch (schema['type']) {
    case 'number':
    case 'integer':
      return 1;
    case 'boolean':
      return true;
    case 'array':
      return [];
    case 'object':
      return sampleObject(schema);
    default:
      return 'sandbox';
  }
}
