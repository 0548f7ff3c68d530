/**
 * Collects what a model says in one step, part by part. The library makes the assistant's message of it, so that the stored message has
 * the form that the library reads: with the reasoning, and with what the provider wants back with its parts (signatures).
 */
import type { LanguageModelUsage, ToolSet, TypedToolCall } from 'ai';
import {
  asLanguageModelUsage,
  convertLanguageModelContent,
  createNullLanguageModelUsage,
  parseToolCall,
  toResponseMessages,
} from 'ai/internal';
import type { ModelContent, ModelPart } from './library.ts';

/** A text, or a piece of reasoning. */
type Piece = Extract<ModelContent, { type: 'text' | 'reasoning' }>;
type Writing = Extract<ModelPart, { type: `${Piece['type']}-${'start' | 'delta' | 'end'}` }>;

/** What a model said, in the library's form. */
export interface ModelOutput {
  readonly text: string;
  readonly calls: readonly TypedToolCall<ToolSet>[];
  readonly messages: readonly unknown[];
  readonly finishReason: string;
  readonly usage: LanguageModelUsage;
}

export class Transcript {
  readonly #content: ModelContent[] = [];
  /** Texts and reasoning that have not ended, by kind and the provider's own id. */
  readonly #open = new Map<string, Piece>();
  #text = '';
  #length = 0;
  #usage = createNullLanguageModelUsage();
  #finishReason = 'interrupted';

  /** The characters so far: of text, reasoning, and arguments of calls. */
  get length(): number {
    return this.#length;
  }

  take(part: ModelPart): void {
    if ('delta' in part) this.#length += part.delta.length;
    switch (part.type) {
      case 'text-start':
      case 'text-delta':
      case 'text-end':
        this.#write('text', part);
        return;
      case 'reasoning-start':
      case 'reasoning-delta':
      case 'reasoning-end':
        this.#write('reasoning', part);
        return;
      case 'tool-call':
      case 'file':
      case 'reasoning-file':
      case 'custom':
        this.#content.push(part);
        return;
      case 'finish':
        this.#usage = asLanguageModelUsage(part.usage);
        this.#finishReason = part.finishReason.unified;
        return;
      default:
      // Ignored: sources, results of the provider's own tools, and parts of calls that are not complete.
    }
  }

  #write(type: Piece['type'], part: Writing): void {
    const { id, providerMetadata } = part;
    const key = `${type} ${id}`;
    const begun = part.type.endsWith('-start') ? undefined : this.#open.get(key);
    const piece: Piece = begun ?? { type, text: '' };
    if (begun === undefined) {
      this.#open.set(key, piece);
      this.#content.push(piece);
    }
    if ('delta' in part) piece.text += part.delta;
    if (part.type === 'text-delta') this.#text += part.delta;
    if (providerMetadata !== undefined) piece.providerMetadata = providerMetadata;
    if (part.type.endsWith('-end')) this.#open.delete(key);
  }

  /** The whole output, with the arguments of calls parsed. */
  async finish(tools: ToolSet): Promise<ModelOutput> {
    const toolCalls: TypedToolCall<ToolSet>[] = [];
    for (const part of this.#content) {
      if (part.type !== 'tool-call') continue;
      toolCalls.push(
        await parseToolCall({
          toolCall: part,
          tools,
          instructions: undefined,
          messages: [],
          repairToolCall: undefined,
        }),
      );
    }
    const content = await convertLanguageModelContent({
      content: this.#content,
      toolCalls,
      tools,
      toolOutputs: [],
      toolApprovalRequests: [],
      toolApprovalResponses: [],
    });
    return {
      text: this.#text,
      calls: toolCalls,
      messages: await toResponseMessages({ content, tools }),
      finishReason: this.#finishReason,
      usage: this.#usage,
    };
  }
}
