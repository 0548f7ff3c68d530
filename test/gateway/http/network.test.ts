/** Whom an address stands for. */
import t from 'tap';
import { toNetwork } from '../../../gateway/http/network.ts';

t.test('IPv4 is one customer, IPv6 a network of 64 bits', t => {
  const one = toNetwork('2001:db8:0:1::');
  for (const address of ['2001:db8:0:1::9', '2001:db8:0:1:ffff:ffff:ffff:ffff', '2001:DB8::1:0:0:0:1'])
    t.equal(toNetwork(address), one, address);
  for (const address of ['2001:db8:0:2::', '2001:db8:1:1::', '::1', '192.0.2.1']) {
    t.not(toNetwork(address), one, address);
  }
  t.equal(toNetwork('192.0.2.1'), '192.0.2.1');
  t.equal(toNetwork('::ffff:192.0.2.1'), '192.0.2.1', 'as a proxy writes it that listens on both');
  t.equal(toNetwork(''), '', 'the client is gone');
  t.end();
});
