/**
 * The models of the three providers, in the library's form. Key and address are always given: where they are not, the library takes
 * those of the process environment, and somebody else would pay.
 */
import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogle } from '@ai-sdk/google';
import { createOpenAI, type OpenAIProvider } from '@ai-sdk/openai';
import type { Provider } from '../../../protocol/resources/byok.ts';
import { post } from './post.ts';
import type { ModelUrls } from './urls.ts';

// What the library does not like about a message (a form that it gives up) it would write on the console.
globalThis.AI_SDK_LOG_WARNINGS = false;

/** What all three providers make. */
export type Model = ReturnType<OpenAIProvider['chat']>;
export type ModelQuestion = Parameters<Model['doStream']>[0];
/** A part of a streamed answer. */
export type ModelPart =
  Awaited<ReturnType<Model['doStream']>>['stream'] extends ReadableStream<infer Part> ? Part : never;
/** A part of a whole answer. */
export type ModelContent = Awaited<ReturnType<Model['doGenerate']>>['content'][number];

/** What is needed to ask a model. */
export interface ModelAddress {
  readonly provider: Provider;
  readonly model: string;
  readonly key: string;
}

/** @param sent told of the length of each request's body, in UTF-16 units */
export function modelOf(
  { provider, model, key }: ModelAddress,
  urls: ModelUrls,
  sent: (characters: number) => void,
): Model {
  const settings = {
    apiKey: key,
    baseURL: urls[provider],
    fetch: (url: string | URL | Request, init: RequestInit = {}) => {
      sent(typeof init.body === 'string' ? init.body.length : 0);
      return post(String(url), init);
    },
  };
  switch (provider) {
    case 'llm_provider_1':
      // Chat completions and not responses: of OpenAI's two interfaces the one that compatible servers speak.
      return createOpenAI(settings).chat(model);
    case 'llm_provider_2':
      return createAnthropic(settings)(model);
    case 'llm_provider_3':
      return createGoogle(settings)(model);
  }
}
