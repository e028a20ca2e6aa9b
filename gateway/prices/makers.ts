/** The beginnings of the names of models, and the ids of their makers in public lists of prices. */
const MAKERS: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^claude/u, ['anthropic']],
  [/^(?:gpt|chatgpt|codex|o\d|text-embedding)/u, ['openai']],
  [/^(?:gemini|gemma)/u, ['google']],
  [/^grok/u, ['x-ai', 'xai']],
  [/^(?:mistral|ministral|codestral|devstral|magistral|pixtral|mixtral)/u, ['mistral']],
  [/^deepseek/u, ['deepseek']],
  [/^glm/u, ['zai', 'zhipuai']],
  [/^(?:kimi|moonshot)/u, ['moonshotai']],
  [/^minimax/u, ['minimax']],
  [/^(?:qwen|qwq)/u, ['alibaba']],
  [/^command/u, ['cohere']],
  [/^sonar/u, ['perplexity']],
  [/^llama/u, ['llama', 'meta']],
  [/^(?:nova|titan)/u, ['amazon-bedrock', 'aws']],
  [/^voyage/u, ['voyageai']],
];

/** Returns the ids under which public lists name the maker of a model; none when it is not known. */
export function listMakers(model: string): readonly string[] {
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase();
  return MAKERS.find(([beginning]) => beginning.test(name))?.[1] ?? [];
}
