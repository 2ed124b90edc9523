/** A mail server that takes everything and keeps nothing, and says how many mails it has taken at `http://127.0.0.1:SINK_COUNT_PORT`. */
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';

const port = (name: string): number => Number(process.env[name]);
let taken = 0;

createServer((socket) => {
  let isMessage = false;
  let left = '';
  const answer = (line: string): void => void socket.write(`${line}\r\n`);
  socket.on('error', () => undefined);
  answer('220 sink.test');
  socket.on('data', (data) => {
    left += data.toString('latin1');
    for (;;) {
      const [end, skip] = isMessage ? ['\r\n.\r\n', 5] : ['\r\n', 2];
      const at = left.indexOf(end);
      if (at < 0) return;
      const line = left.slice(0, at);
      left = left.slice(at + skip);
      if (isMessage) {
        isMessage = false;
        taken += 1;
        answer('250 taken');
      } else if (/^data/i.test(line)) {
        isMessage = true;
        answer('354 go on');
      } else if (/^quit/i.test(line)) socket.end('221 bye\r\n');
      else answer('250 ok');
    }
  });
}).listen(port('SINK_PORT'), '127.0.0.1');

createHttpServer((_request, response) => {
  response.end(String(taken));
}).listen(port('SINK_COUNT_PORT'), '127.0.0.1', () => process.stdout.write('the sink is ready\n'));
