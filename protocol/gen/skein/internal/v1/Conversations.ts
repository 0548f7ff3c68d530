// Original file: protocol/internal.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { GetThreadRequest as _skein_internal_v1_GetThreadRequest, GetThreadRequest__Output as _skein_internal_v1_GetThreadRequest__Output } from '../../../skein/internal/v1/GetThreadRequest.ts';
import type { GetThreadResponse as _skein_internal_v1_GetThreadResponse, GetThreadResponse__Output as _skein_internal_v1_GetThreadResponse__Output } from '../../../skein/internal/v1/GetThreadResponse.ts';
import type { IngestMessageRequest as _skein_internal_v1_IngestMessageRequest, IngestMessageRequest__Output as _skein_internal_v1_IngestMessageRequest__Output } from '../../../skein/internal/v1/IngestMessageRequest.ts';
import type { IngestMessageResponse as _skein_internal_v1_IngestMessageResponse, IngestMessageResponse__Output as _skein_internal_v1_IngestMessageResponse__Output } from '../../../skein/internal/v1/IngestMessageResponse.ts';
import type { IngestMessagesRequest as _skein_internal_v1_IngestMessagesRequest, IngestMessagesRequest__Output as _skein_internal_v1_IngestMessagesRequest__Output } from '../../../skein/internal/v1/IngestMessagesRequest.ts';
import type { IngestMessagesResponse as _skein_internal_v1_IngestMessagesResponse, IngestMessagesResponse__Output as _skein_internal_v1_IngestMessagesResponse__Output } from '../../../skein/internal/v1/IngestMessagesResponse.ts';
import type { SendMessageRequest as _skein_internal_v1_SendMessageRequest, SendMessageRequest__Output as _skein_internal_v1_SendMessageRequest__Output } from '../../../skein/internal/v1/SendMessageRequest.ts';
import type { SendMessageResponse as _skein_internal_v1_SendMessageResponse, SendMessageResponse__Output as _skein_internal_v1_SendMessageResponse__Output } from '../../../skein/internal/v1/SendMessageResponse.ts';
import type { SubscribeEventsRequest as _skein_internal_v1_SubscribeEventsRequest, SubscribeEventsRequest__Output as _skein_internal_v1_SubscribeEventsRequest__Output } from '../../../skein/internal/v1/SubscribeEventsRequest.ts';
import type { SubscribeEventsResponse as _skein_internal_v1_SubscribeEventsResponse, SubscribeEventsResponse__Output as _skein_internal_v1_SubscribeEventsResponse__Output } from '../../../skein/internal/v1/SubscribeEventsResponse.ts';
import type { WatchShardsRequest as _skein_internal_v1_WatchShardsRequest, WatchShardsRequest__Output as _skein_internal_v1_WatchShardsRequest__Output } from '../../../skein/internal/v1/WatchShardsRequest.ts';
import type { WatchShardsResponse as _skein_internal_v1_WatchShardsResponse, WatchShardsResponse__Output as _skein_internal_v1_WatchShardsResponse__Output } from '../../../skein/internal/v1/WatchShardsResponse.ts';

export interface ConversationsClient extends grpc.Client {
  GetThread(argument: _skein_internal_v1_GetThreadRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_skein_internal_v1_GetThreadResponse__Output>): grpc.ClientUnaryCall;
  GetThread(argument: _skein_internal_v1_GetThreadRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_skein_internal_v1_GetThreadResponse__Output>): grpc.ClientUnaryCall;
  GetThread(argument: _skein_internal_v1_GetThreadRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_skein_internal_v1_GetThreadResponse__Output>): grpc.ClientUnaryCall;
  GetThread(argument: _skein_internal_v1_GetThreadRequest, callback: grpc.requestCallback<_skein_internal_v1_GetThreadResponse__Output>): grpc.ClientUnaryCall;
  getThread(argument: _skein_internal_v1_GetThreadRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_skein_internal_v1_GetThreadResponse__Output>): grpc.ClientUnaryCall;
  getThread(argument: _skein_internal_v1_GetThreadRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_skein_internal_v1_GetThreadResponse__Output>): grpc.ClientUnaryCall;
  getThread(argument: _skein_internal_v1_GetThreadRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_skein_internal_v1_GetThreadResponse__Output>): grpc.ClientUnaryCall;
  getThread(argument: _skein_internal_v1_GetThreadRequest, callback: grpc.requestCallback<_skein_internal_v1_GetThreadResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * A message from a participant came in by a channel of the caller's: creates the thread if it is the first. As the REST
   * operation createInboundMessage, with which it shares its idempotency keys.
   */
  IngestMessage(argument: _skein_internal_v1_IngestMessageRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_skein_internal_v1_IngestMessageResponse__Output>): grpc.ClientUnaryCall;
  IngestMessage(argument: _skein_internal_v1_IngestMessageRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_skein_internal_v1_IngestMessageResponse__Output>): grpc.ClientUnaryCall;
  IngestMessage(argument: _skein_internal_v1_IngestMessageRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_skein_internal_v1_IngestMessageResponse__Output>): grpc.ClientUnaryCall;
  IngestMessage(argument: _skein_internal_v1_IngestMessageRequest, callback: grpc.requestCallback<_skein_internal_v1_IngestMessageResponse__Output>): grpc.ClientUnaryCall;
  /**
   * A message from a participant came in by a channel of the caller's: creates the thread if it is the first. As the REST
   * operation createInboundMessage, with which it shares its idempotency keys.
   */
  ingestMessage(argument: _skein_internal_v1_IngestMessageRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_skein_internal_v1_IngestMessageResponse__Output>): grpc.ClientUnaryCall;
  ingestMessage(argument: _skein_internal_v1_IngestMessageRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_skein_internal_v1_IngestMessageResponse__Output>): grpc.ClientUnaryCall;
  ingestMessage(argument: _skein_internal_v1_IngestMessageRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_skein_internal_v1_IngestMessageResponse__Output>): grpc.ClientUnaryCall;
  ingestMessage(argument: _skein_internal_v1_IngestMessageRequest, callback: grpc.requestCallback<_skein_internal_v1_IngestMessageResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * The same for many messages on one stream. Each is answered under its correlation id once it is committed or refused; a refusal
   * does not end the stream. Messages of one thread are taken, committed and answered one after the other, in the order in which they
   * were sent; answers of different threads may overtake each other. After an answer UNAVAILABLE or INTERNAL it is not known whether
   * the message was taken. Then its thread is held: all of its messages are answered UNAVAILABLE until that one is sent again under
   * its idempotency key. Send those that follow it again as well, in their order. At most 256 messages are taken and not answered: beyond
   * that the server stops reading, and HTTP/2 stops the client. When the node goes away, or when more than 1,000 threads are held, the
   * stream ends with UNAVAILABLE: send what was not answered again, to another node, under the same idempotency keys.
   */
  IngestMessages(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_skein_internal_v1_IngestMessagesRequest, _skein_internal_v1_IngestMessagesResponse__Output>;
  IngestMessages(options?: grpc.CallOptions): grpc.ClientDuplexStream<_skein_internal_v1_IngestMessagesRequest, _skein_internal_v1_IngestMessagesResponse__Output>;
  /**
   * The same for many messages on one stream. Each is answered under its correlation id once it is committed or refused; a refusal
   * does not end the stream. Messages of one thread are taken, committed and answered one after the other, in the order in which they
   * were sent; answers of different threads may overtake each other. After an answer UNAVAILABLE or INTERNAL it is not known whether
   * the message was taken. Then its thread is held: all of its messages are answered UNAVAILABLE until that one is sent again under
   * its idempotency key. Send those that follow it again as well, in their order. At most 256 messages are taken and not answered: beyond
   * that the server stops reading, and HTTP/2 stops the client. When the node goes away, or when more than 1,000 threads are held, the
   * stream ends with UNAVAILABLE: send what was not answered again, to another node, under the same idempotency keys.
   */
  ingestMessages(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_skein_internal_v1_IngestMessagesRequest, _skein_internal_v1_IngestMessagesResponse__Output>;
  ingestMessages(options?: grpc.CallOptions): grpc.ClientDuplexStream<_skein_internal_v1_IngestMessagesRequest, _skein_internal_v1_IngestMessagesResponse__Output>;
  
  /**
   * Sends a message to the participant of a thread. As the REST operation createMessage.
   */
  SendMessage(argument: _skein_internal_v1_SendMessageRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_skein_internal_v1_SendMessageResponse__Output>): grpc.ClientUnaryCall;
  SendMessage(argument: _skein_internal_v1_SendMessageRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_skein_internal_v1_SendMessageResponse__Output>): grpc.ClientUnaryCall;
  SendMessage(argument: _skein_internal_v1_SendMessageRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_skein_internal_v1_SendMessageResponse__Output>): grpc.ClientUnaryCall;
  SendMessage(argument: _skein_internal_v1_SendMessageRequest, callback: grpc.requestCallback<_skein_internal_v1_SendMessageResponse__Output>): grpc.ClientUnaryCall;
  /**
   * Sends a message to the participant of a thread. As the REST operation createMessage.
   */
  sendMessage(argument: _skein_internal_v1_SendMessageRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_skein_internal_v1_SendMessageResponse__Output>): grpc.ClientUnaryCall;
  sendMessage(argument: _skein_internal_v1_SendMessageRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_skein_internal_v1_SendMessageResponse__Output>): grpc.ClientUnaryCall;
  sendMessage(argument: _skein_internal_v1_SendMessageRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_skein_internal_v1_SendMessageResponse__Output>): grpc.ClientUnaryCall;
  sendMessage(argument: _skein_internal_v1_SendMessageRequest, callback: grpc.requestCallback<_skein_internal_v1_SendMessageResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * The events of a project, each once, in the order of their numbers, without gaps: first those after the cursor, then live. The
   * first response is `resumed` or `reset`. A subscriber that reads too slowly is ended with RESOURCE_EXHAUSTED, one whose node goes
   * away with UNAVAILABLE: subscribe again with the last cursor.
   */
  SubscribeEvents(argument: _skein_internal_v1_SubscribeEventsRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_skein_internal_v1_SubscribeEventsResponse__Output>;
  SubscribeEvents(argument: _skein_internal_v1_SubscribeEventsRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_skein_internal_v1_SubscribeEventsResponse__Output>;
  /**
   * The events of a project, each once, in the order of their numbers, without gaps: first those after the cursor, then live. The
   * first response is `resumed` or `reset`. A subscriber that reads too slowly is ended with RESOURCE_EXHAUSTED, one whose node goes
   * away with UNAVAILABLE: subscribe again with the last cursor.
   */
  subscribeEvents(argument: _skein_internal_v1_SubscribeEventsRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_skein_internal_v1_SubscribeEventsResponse__Output>;
  subscribeEvents(argument: _skein_internal_v1_SubscribeEventsRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_skein_internal_v1_SubscribeEventsResponse__Output>;
  
  /**
   * Which node owns which shards: the whole map at once, and the whole map again after it has changed, a few times a second at most. The
   * map is a hint: what reaches another node than the owner is done as well. When the node goes away, the stream ends with UNAVAILABLE:
   * watch another one.
   */
  WatchShards(argument: _skein_internal_v1_WatchShardsRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_skein_internal_v1_WatchShardsResponse__Output>;
  WatchShards(argument: _skein_internal_v1_WatchShardsRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_skein_internal_v1_WatchShardsResponse__Output>;
  /**
   * Which node owns which shards: the whole map at once, and the whole map again after it has changed, a few times a second at most. The
   * map is a hint: what reaches another node than the owner is done as well. When the node goes away, the stream ends with UNAVAILABLE:
   * watch another one.
   */
  watchShards(argument: _skein_internal_v1_WatchShardsRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_skein_internal_v1_WatchShardsResponse__Output>;
  watchShards(argument: _skein_internal_v1_WatchShardsRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_skein_internal_v1_WatchShardsResponse__Output>;
  
}

export interface ConversationsHandlers extends grpc.UntypedServiceImplementation {
  GetThread: grpc.handleUnaryCall<_skein_internal_v1_GetThreadRequest__Output, _skein_internal_v1_GetThreadResponse>;
  
  /**
   * A message from a participant came in by a channel of the caller's: creates the thread if it is the first. As the REST
   * operation createInboundMessage, with which it shares its idempotency keys.
   */
  IngestMessage: grpc.handleUnaryCall<_skein_internal_v1_IngestMessageRequest__Output, _skein_internal_v1_IngestMessageResponse>;
  
  /**
   * The same for many messages on one stream. Each is answered under its correlation id once it is committed or refused; a refusal
   * does not end the stream. Messages of one thread are taken, committed and answered one after the other, in the order in which they
   * were sent; answers of different threads may overtake each other. After an answer UNAVAILABLE or INTERNAL it is not known whether
   * the message was taken. Then its thread is held: all of its messages are answered UNAVAILABLE until that one is sent again under
   * its idempotency key. Send those that follow it again as well, in their order. At most 256 messages are taken and not answered: beyond
   * that the server stops reading, and HTTP/2 stops the client. When the node goes away, or when more than 1,000 threads are held, the
   * stream ends with UNAVAILABLE: send what was not answered again, to another node, under the same idempotency keys.
   */
  IngestMessages: grpc.handleBidiStreamingCall<_skein_internal_v1_IngestMessagesRequest__Output, _skein_internal_v1_IngestMessagesResponse>;
  
  /**
   * Sends a message to the participant of a thread. As the REST operation createMessage.
   */
  SendMessage: grpc.handleUnaryCall<_skein_internal_v1_SendMessageRequest__Output, _skein_internal_v1_SendMessageResponse>;
  
  /**
   * The events of a project, each once, in the order of their numbers, without gaps: first those after the cursor, then live. The
   * first response is `resumed` or `reset`. A subscriber that reads too slowly is ended with RESOURCE_EXHAUSTED, one whose node goes
   * away with UNAVAILABLE: subscribe again with the last cursor.
   */
  SubscribeEvents: grpc.handleServerStreamingCall<_skein_internal_v1_SubscribeEventsRequest__Output, _skein_internal_v1_SubscribeEventsResponse>;
  
  /**
   * Which node owns which shards: the whole map at once, and the whole map again after it has changed, a few times a second at most. The
   * map is a hint: what reaches another node than the owner is done as well. When the node goes away, the stream ends with UNAVAILABLE:
   * watch another one.
   */
  WatchShards: grpc.handleServerStreamingCall<_skein_internal_v1_WatchShardsRequest__Output, _skein_internal_v1_WatchShardsResponse>;
  
}

export interface ConversationsDefinition extends grpc.ServiceDefinition {
  GetThread: MethodDefinition<_skein_internal_v1_GetThreadRequest, _skein_internal_v1_GetThreadResponse, _skein_internal_v1_GetThreadRequest__Output, _skein_internal_v1_GetThreadResponse__Output>
  IngestMessage: MethodDefinition<_skein_internal_v1_IngestMessageRequest, _skein_internal_v1_IngestMessageResponse, _skein_internal_v1_IngestMessageRequest__Output, _skein_internal_v1_IngestMessageResponse__Output>
  IngestMessages: MethodDefinition<_skein_internal_v1_IngestMessagesRequest, _skein_internal_v1_IngestMessagesResponse, _skein_internal_v1_IngestMessagesRequest__Output, _skein_internal_v1_IngestMessagesResponse__Output>
  SendMessage: MethodDefinition<_skein_internal_v1_SendMessageRequest, _skein_internal_v1_SendMessageResponse, _skein_internal_v1_SendMessageRequest__Output, _skein_internal_v1_SendMessageResponse__Output>
  SubscribeEvents: MethodDefinition<_skein_internal_v1_SubscribeEventsRequest, _skein_internal_v1_SubscribeEventsResponse, _skein_internal_v1_SubscribeEventsRequest__Output, _skein_internal_v1_SubscribeEventsResponse__Output>
  WatchShards: MethodDefinition<_skein_internal_v1_WatchShardsRequest, _skein_internal_v1_WatchShardsResponse, _skein_internal_v1_WatchShardsRequest__Output, _skein_internal_v1_WatchShardsResponse__Output>
}
