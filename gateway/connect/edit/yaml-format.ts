import { type Document, parseDocument, visit, type YAMLMap } from 'yaml';
import { ConfigFormatError, formatPath } from './config-format-error.ts';
import type { ConfigValue } from './config-value.ts';
import { createConfigFormat } from './create-config-format.ts';
import type { TextRange } from './text-lines.ts';
import { insertYamlValue, replaceYamlValue } from './set-yaml-value.ts';
import { removeYamlValue } from './remove-yaml-value.ts';
import { buildValue, followPath, tooDeep } from './value-changes.ts';
import { toConfigValue } from './to-config-value.ts';
import { scanYamlComments } from './yaml-comments.ts';
import { findYamlPlace, nameOfKey, toYamlNode } from './yaml-nodes.ts';

/**
 * YAML of one document. Its values are those of YAML 1.2: a merge key (`<<`) is a member like any other. A block list or map
 * that loses its last item is null afterwards, as it was if the item was set there.
 */
export const yaml = createConfigFormat<{
  document: Document.Parsed;
  comments: readonly TextRange[];
}>({
  parse(text) {
    const comments = scanYamlComments(text);
    const document = parseDocument(text, {
      keepSourceTokens: true,
      logLevel: 'error',
      // The library compares every key with every other one.
      uniqueKeys: false,
    });
    checkDocument(document);
    const value = document.contents === null ? undefined : readValue(document);
    return { text, tree: { document, comments }, value };
  },
  setValue({ text, tree, value: root }, path, value) {
    const { found, rest } = followPath(root, path);
    const source = { text, comments: tree.comments, root: toYamlNode(text, tree.document) };
    const place = findYamlPlace(source.root, found, path);
    const [step, ...inner] = rest;
    return step === undefined
      ? replaceYamlValue(source, place, value)
      : insertYamlValue(source, place, { path, step, value: buildValue(inner, value) });
  },
  removeValue({ text, tree, value }, path) {
    const { found } = followPath(value, path);
    const source = { text, comments: tree.comments, root: toYamlNode(text, tree.document) };
    return removeYamlValue(source, findYamlPlace(source.root, found, path));
  },
});

function checkDocument(document: Document.Parsed): void {
  const [error] = document.errors;
  if (error?.code === 'MULTIPLE_DOCS')
    throw new ConfigFormatError('This file has several YAML documents, so it is not edited.');
  if (error?.message.startsWith('Maximum call stack')) throw tooDeep();
  if (error !== undefined) {
    const [reason = ''] = error.message.split(/ at line \d+|\n/u);
    const [start] = error.linePos ?? [];
    throw new ConfigFormatError(
      `This file is not valid YAML: ${reason}.`,
      start === undefined ? null : { line: start.line, column: start.col },
    );
  }
  visit(document, { Map: (_, map) => checkKeys(map) });
}

function checkKeys(map: YAMLMap): void {
  const names = new Set<string>();
  for (const { key } of map.items) {
    const name = nameOfKey(key);
    if (name !== null && names.has(name))
      throw new ConfigFormatError(
        `${formatPath([name])} is in this file twice. Remove one of them.`,
      );
    if (name !== null) names.add(name);
  }
}

/** Returns the value of a document. @throws ConfigFormatError when it has sets, binary data or the like */
function readValue(document: Document.Parsed): ConfigValue {
  try {
    return toConfigValue(document.toJS());
  } catch (error) {
    // The library refuses aliases of aliases of aliases that would become a huge value.
    if (!(error instanceof ReferenceError)) throw error;
    throw new ConfigFormatError(`This file is not valid YAML: ${error.message}.`);
  }
}
