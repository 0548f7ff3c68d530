/**
 * The models of the three providers, and their prompts, in the library's form. Key and address are always passed: without them the
 * library takes those of the process environment, and the wrong party would pay.
 */
import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogle } from '@ai-sdk/google';
import { createOpenAI, type OpenAIProvider } from '@ai-sdk/openai';
import { jsonSchema, type JSONSchema7, type ModelMessage, type ToolSet } from 'ai';
import { convertToLanguageModelPrompt, prepareTools } from 'ai/internal';
import type { Provider } from '../../../protocol/resources/index.ts';
import type { Plan } from '../services.ts';
import { ModelFault } from './faults.ts';
import { post } from './post.ts';
import type { ModelUrls } from './urls.ts';
import { handoffTool } from './handoff.ts';

// Otherwise the library writes its warnings about messages (deprecated forms) to the console.
globalThis.AI_SDK_LOG_WARNINGS = false;

/** What all three providers create. */
export type Model = ReturnType<OpenAIProvider['chat']>;
export type ModelQuestion = Parameters<Model['doStream']>[0];
/** A part of a streamed answer. */
export type ModelPart =
  Awaited<ReturnType<Model['doStream']>>['stream'] extends ReadableStream<infer Part> ? Part : never;
/** A part of a whole answer. */
export type ModelContent = Awaited<ReturnType<Model['doGenerate']>>['content'][number];

/** What it takes to reach a model. */
export interface ModelAddress {
  readonly provider: Provider;
  readonly model: string;
  readonly key: string;
  /** W3C Trace Context, for a provider that traces; undefined: it is told of none. */
  readonly traceparent?: string | undefined;
}

/** @param sent gets the length of each request's body, in UTF-16 units */
export function createModel(
  { provider, model, key, traceparent }: ModelAddress,
  urls: ModelUrls,
  sent: (characters: number) => void,
): Model {
  const settings = {
    apiKey: key,
    baseURL: urls[provider],
    fetch: (url: string | URL | Request, init: RequestInit = {}) => {
      sent(typeof init.body === 'string' ? init.body.length : 0);
      if (traceparent === undefined) return post(String(url), init);
      return post(String(url), {
        ...init,
        headers: { ...(init.headers as Record<string, string>), traceparent },
      });
    },
  };
  switch (provider) {
    case 'llm_provider_1':
      // Chat completions, not responses: of OpenAI's two APIs the one that compatible servers implement.
      return createOpenAI(settings).chat(model);
    case 'llm_provider_2':
      return createAnthropic(settings)(model);
    case 'llm_provider_3':
      requirePath(model);
      return createGoogle(settings)(model);
  }
}

/** One or more of these, with slashes between them: `gemini-2.5-flash`, `tunedModels/ours`. */
const segmentPattern = /^(?!\.{1,2}$)[\w.:@-]+$/;

/** Gemini's models stand in the path of the address. Where that leads is for the operator to say, and not for who names the model. */
function requirePath(model: string): void {
  if (model.split('/').every(segment => segmentPattern.test(segment))) return;
  throw new ModelFault('configuration', 'the name of the model is none that this provider has');
}

/** The tools without `execute`: the run makes the calls itself. */
export function createToolSet({ tools }: Plan): ToolSet {
  return Object.fromEntries(
    [...tools, handoffTool].map(({ name, description, inputSchema }) => [
      name,
      { description, inputSchema: jsonSchema(inputSchema as JSONSchema7) },
    ]),
  );
}

/** @param turns as they are stored, possibly by an older version of the library, which understands its own messages */
export async function createQuestion(
  plan: Plan,
  turns: readonly unknown[],
  tools: ToolSet,
): Promise<ModelQuestion> {
  const { systemPrompt: instructions, history, temperature, maxTokens } = plan;
  const messages = [...history, ...turns] as ModelMessage[];
  const prepared = await prepareTools({ tools });
  return {
    // Files are never attached by their address, so nothing is downloaded.
    prompt: await convertToLanguageModelPrompt({
      prompt: { instructions, messages },
      supportedUrls: {},
      download: undefined,
    }),
    ...(prepared === undefined ? {} : { tools: prepared }),
    toolChoice: { type: 'auto' },
    ...(temperature === null ? {} : { temperature }),
    ...(maxTokens === null ? {} : { maxOutputTokens: maxTokens }),
  };
}
