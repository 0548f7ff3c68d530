/** uWebSockets.js and nothing else: every socket subscribes at once, every event is one publish of the same frame. */
import { App, us_socket_local_port, type us_socket } from 'uWebSockets.js';
import { envelope, obey, path } from '../protocol.ts';

const app = App().ws(path, {
  open: ws => {
    ws.subscribe('project');
  },
});
app.listen('127.0.0.1', 0, socket => {
  if (socket === false) throw new Error('no port');
  const publish = (seq: number): void => {
    app.publish('project', `{"type":"event","seq":${seq},"event":${envelope(seq)}}`);
  };
  obey(us_socket_local_port(socket as us_socket), publish);
});
