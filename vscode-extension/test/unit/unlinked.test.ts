// Words of programs that could be taken for more.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { unlinked } from '../../src/unlinked';

it('a message has no links, whatever the program said', () => {
  const said = 'lost [all](command:workbench.action.quit), see [it](https://example.org)';
  // What the editor takes for a link.
  const link = /\[([^\]]+)\]\(((?:https?:\/\/|command:|file:)[^)\s]+)(?: (["'])(.+?)(\3))?\)/i;
  assert.match(said, link);
  assert.doesNotMatch(unlinked(said), link);
  assert.equal(unlinked('a[0](x) [b] (c)'), 'a[0] (x) [b] (c)');
});
