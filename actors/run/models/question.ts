/** What a model is asked in one step, in the form that the library's providers take. */
import { jsonSchema, type JSONSchema7, type ModelMessage, type ToolSet } from 'ai';
import { convertToLanguageModelPrompt, prepareTools } from 'ai/internal';
import type { Plan } from '../services.ts';
import { handoffTool } from './handoff.ts';
import type { ModelQuestion } from './library.ts';

/** Without `execute`: the run makes the calls itself. */
export function toolsOf({ tools }: Plan): ToolSet {
  return Object.fromEntries(
    [...tools, handoffTool].map(({ name, description, inputSchema }) => [
      name,
      { description, inputSchema: jsonSchema(inputSchema as JSONSchema7) },
    ]),
  );
}

/** @param turns as they are stored, maybe by an older version of the library: its own messages, which it understands */
export async function questionOf(
  plan: Plan,
  turns: readonly unknown[],
  tools: ToolSet,
): Promise<ModelQuestion> {
  const { systemPrompt: instructions, history, temperature, maxTokens } = plan;
  const messages = [...history, ...turns] as ModelMessage[];
  const prepared = await prepareTools({ tools });
  return {
    // Nobody attaches files by their address, so that nothing is downloaded.
    prompt: await convertToLanguageModelPrompt({
      ...{ prompt: { instructions, messages }, supportedUrls: {}, download: undefined },
    }),
    ...(prepared === undefined ? {} : { tools: prepared }),
    toolChoice: { type: 'auto' },
    ...(temperature === null ? {} : { temperature }),
    ...(maxTokens === null ? {} : { maxOutputTokens: maxTokens }),
  };
}
