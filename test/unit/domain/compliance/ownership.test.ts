/** To whom a company belongs: exact over all paths, or everything that is wrong with what the form says. */
import { describe, expect, test } from '@jest/globals';
import { MOST_PATHS } from '../../../../domain/compliance/ownership-paths.ts';
import type { OwnershipRequest } from '../../../../domain/compliance/holdings.ts';
import { faultsOf, form, owned, type Link } from './ownership-forms.ts';

const shares = (request: OwnershipRequest) =>
  owned(request).beneficial_owners.map(({ ref, ownership_percent: own, voting_percent: votes }) => [
    ...[ref, own, votes],
  ]);

describe('whoever has 25 percent or more is an owner', () => {
  test.each<[why: string, links: readonly Link[], owners: readonly (readonly string[])[]]>([
    ['exactly 25 counts', [['a', 'self', '25']], [['a', '25.000000', '25.000000']]],
    ['a little less does not', [['a', 'self', '24.9999']], []],
    [
      'several paths are added',
      [
        ...([
          ['a', 'self', '10'],
          ['a', 'H', '50'],
          ['H', 'self', '30'],
        ] as const),
        ['b', 'H', '50'],
      ],
      [['a', '25.000000', '25.000000']],
    ],
    [
      'exactly 25 by a product of odd percents',
      [
        ['a', 'H', '62.5'],
        ['H', 'self', '40'],
      ],
      [['a', '25.000000', '25.000000']],
    ],
    [
      'a product just below 25 is not rounded up',
      [
        ['a', 'H', '33.3333'],
        ['H', 'self', '75'],
      ],
      [],
    ],
    ['votes alone count', [['a', 'self', '1', '25']], [['a', '1.000000', '25.000000']]],
    ['capital without votes counts', [['a', 'self', '25', '0']], [['a', '25.000000', '0.000000']]],
    [
      'votes go along the votes of each company',
      [
        ['a', 'H', '10', '100'],
        ['b', 'H', '90', '0'],
        ['H', 'self', '60'],
      ],
      [
        ['b', '54.000000', '0.000000'],
        ['a', '6.000000', '60.000000'],
      ],
    ],
    [
      'a diamond',
      [
        ['a', 'T', '100'],
        ['T', 'L', '50'],
        ['T', 'R', '50'],
        ['L', 'self', '50'],
        ['R', 'self', '50'],
        ['b', 'L', '50'],
        ['b', 'R', '50'],
      ],
      [
        ['a', '50.000000', '50.000000'],
        ['b', '50.000000', '50.000000'],
      ],
    ],
    [
      'shares are rounded down',
      [
        ['a', 'H', '66.6667'],
        ['H', 'self', '99.9999'],
      ],
      [['a', '66.666633', '66.666633']],
    ],
  ])('%s', (_why, links, owners) => {
    expect(shares(form(links))).toEqual(owners);
  });

  test('a percent of a person is short for a holding in the company', () => {
    const request = {
      persons: [{ ref: 'a', ownership_percent: '40', voting_percent: '10' }],
      companies: [],
      holdings: [],
    };
    expect(shares(request)).toEqual([['a', '40.000000', '10.000000']]);
  });

  test('votes without capital are a stake too', () => {
    const request = { persons: [{ ref: 'a', voting_percent: '30' }], companies: [], holdings: [] };
    expect(shares(request)).toEqual([['a', '0.000000', '30.000000']]);
  });

  test('each path is named, the shortest first', () => {
    const { beneficial_owners: owners } = owned(
      form([
        ['a', 'H', '100'],
        ['H', 'G', '100'],
        ['G', 'self', '20'],
        ['H', 'self', '20'],
        ['a', 'self', '20'],
        ['a', 'X', '100'],
        ['X', 'Y', '5'],
        ['b', 'Y', '95'],
      ]),
    );
    expect(owners[0]?.paths).toEqual([
      ['a', 'self'],
      ['a', 'H', 'self'],
      ['a', 'H', 'G', 'self'],
    ]);
  });

  test('a short path is listed though there are too many longer ones', () => {
    const sides = Array.from({ length: 12 }, (_, at) => at);
    const { beneficial_owners: owners } = owned(
      form([
        ['a', 'S', '100'],
        ['S', 'self', '1'],
        ['A', 'self', '50'],
        ...sides.flatMap((upper): Link[] => [
          ['a', `N${upper}`, '100'],
          [`M${upper}`, 'A', '8'],
          ...sides.map((lower): Link => [`N${upper}`, `M${lower}`, '8']),
        ]),
      ]),
    );
    expect(owners[0]?.paths).toHaveLength(MOST_PATHS);
    expect(owners[0]?.paths[0]).toEqual(['a', 'S', 'self']);
  });

  test('owners are ordered by what they have exactly, then by their refs', () => {
    const request = form([
      ['b', 'self', '25'],
      ['a', 'self', '25'],
      ['c', 'self', '25'],
      ['c', 'G', '0.0001'],
      ['d', 'G', '99.9999'],
      ['G', 'self', '0.0001'],
    ]);
    expect(shares(request)).toEqual([
      ['c', '25.000000', '25.000000'],
      ['a', '25.000000', '25.000000'],
      ['b', '25.000000', '25.000000'],
    ]);
  });

  test('without anybody who has enough a senior manager counts', () => {
    expect(
      owned(
        form([
          ['a', 'self', '20'],
          ['b', 'self', '24'],
        ]),
      ).needs_senior_manager,
    ).toBe(true);
    expect(owned(form([['a', 'self', '25']])).needs_senior_manager).toBe(false);
  });
});

describe('what belongs to nobody who is named', () => {
  test.each<[why: string, links: readonly Link[], unexplained: string]>([
    ['the rest of the company', [['a', 'self', '60']], '40.000000'],
    [
      'the rest of a company above',
      [
        ['a', 'H', '60'],
        ['H', 'self', '50'],
        ['b', 'self', '50'],
      ],
      '20.000000',
    ],
    [
      'nothing where all shares are named',
      [
        ['a', 'self', '60'],
        ['b', 'self', '40'],
      ],
      '0.000000',
    ],
    [
      'nothing of what a listed company has',
      [
        ['P*', 'self', '70'],
        ['a', 'self', '30'],
      ],
      '0.000000',
    ],
    [
      'nothing above a listed company',
      [
        ['P*', 'self', '70'],
        ['a', 'self', '30'],
        ['H', 'P*', '10'],
        ['b', 'H', '1'],
      ],
      '0.000000',
    ],
    [
      'it is rounded up',
      [
        ['a', 'H', '33.3333'],
        ['H', 'self', '0.0001'],
        ['b', 'self', '99.9999'],
      ],
      '0.000067',
    ],
  ])('%s', (_why, links, unexplained) => {
    expect(owned(form(links)).unexplained_percent).toBe(unexplained);
  });
});

describe('what is wrong with a form', () => {
  test.each([
    '25.',
    '.5',
    '1e1',
    '+5',
    ' 5',
    '5 ',
    '0025',
    '-1',
    '100.0001',
    '101',
    '1.00000',
    '',
    'half',
    '0',
  ])('%j is no percent', (percent) => {
    expect(faultsOf(form([['a', 'self', percent]]))).toEqual(['not_a_percent /holdings/0/percent']);
  });

  test.each<[why: string, request: OwnershipRequest, faults: readonly string[]]>([
    [
      'a ref twice',
      { persons: [{ ref: 'a' }, { ref: 'a' }], companies: [{ ref: 'self' }], holdings: [] },
      ['duplicate_ref /persons/1/ref', 'duplicate_ref /companies/0/ref'],
    ],
    [
      'refs that nobody has',
      {
        ...form([['a', 'self', '50']]),
        holdings: [
          { owner_ref: 'x', company_ref: 'a', percent: '5' },
          { owner_ref: 'self', company_ref: 'self', percent: '5' },
        ],
      },
      [
        'unknown_ref /holdings/0/owner_ref',
        'unknown_ref /holdings/0/company_ref',
        'unknown_ref /holdings/1/owner_ref',
      ],
    ],
    [
      'a holding twice',
      form([
        ['a', 'self', '5'],
        ['a', 'self', '6'],
      ]),
      ['duplicate_holding /holdings/1'],
    ],
    [
      'a percent of a person, and a holding of theirs in the company',
      {
        persons: [{ ref: 'a', ownership_percent: '5' }],
        companies: [],
        holdings: [{ owner_ref: 'a', company_ref: 'self', percent: '5' }],
      },
      ['duplicate_holding /holdings/0'],
    ],
    [
      'more than the whole',
      form([
        ['a', 'self', '60'],
        ['b', 'self', '40.0001'],
      ]),
      ['shares_over_100 /holdings/1'],
    ],
    [
      'more than all votes',
      form([
        ['a', 'self', '1', '60'],
        ['b', 'self', '1', '50'],
      ]),
      ['shares_over_100 /holdings/1'],
    ],
    [
      'more than the whole of a company above',
      form([
        ['H', 'self', '1'],
        ['a', 'H', '60'],
        ['b', 'H', '60'],
      ]),
      ['shares_over_100 /holdings/2'],
    ],
    [
      'a company without owners',
      form([
        ['H', 'self', '60'],
        ['a', 'self', '30'],
      ]),
      ['owner_missing /companies/0'],
    ],
    [
      'a company that owns itself',
      form([
        ['H', 'H', '10'],
        ['H', 'self', '60'],
      ]),
      ['ownership_circular /holdings/0'],
    ],
    [
      'companies in a circle',
      form([
        ['H', 'self', '60'],
        ['G', 'H', '50'],
        ['H', 'G', '50'],
      ]),
      ['ownership_circular /holdings/2'],
    ],
    [
      'a circle beside the company',
      form([
        ['a', 'self', '60'],
        ['G', 'H', '50'],
        ['H', 'G', '50'],
      ]),
      ['ownership_circular /holdings/1'],
    ],
    [
      'several things at once',
      {
        persons: [{ ref: 'a', voting_percent: '0' }, { ref: 'b' }, { ref: 'c' }],
        companies: [{ ref: 'F' }, { ref: 'G' }, { ref: 'H' }, { ref: 'I' }],
        holdings: [
          { owner_ref: 'b', company_ref: 'F', percent: '60' },
          { owner_ref: 'b', company_ref: 'F', percent: '60' },
          { owner_ref: 'c', company_ref: 'F', percent: '60' },
          { owner_ref: 'b', company_ref: 'I', percent: 'x' },
          { owner_ref: 'G', company_ref: 'G', percent: '1' },
          { owner_ref: 'H', company_ref: 'self', percent: '1' },
          { owner_ref: 'I', company_ref: 'self', percent: '1' },
        ],
      },
      [
        'not_a_percent /persons/0/voting_percent',
        'not_a_percent /holdings/3/percent',
        'duplicate_holding /holdings/1',
        'shares_over_100 /holdings/2',
        'ownership_circular /holdings/4',
        'owner_missing /companies/2',
      ],
    ],
    [
      'votes that are not a percent',
      form([['a', 'self', '5', 'x']]),
      ['not_a_percent /holdings/0/voting_percent'],
    ],
  ])('%s', (_why, request, faults) => {
    expect(faultsOf(request)).toEqual(faults);
  });

  test('a company that has no part in the company needs no owners', () => {
    expect(
      faultsOf(
        form([
          ['a', 'self', '60'],
          ['X', 'Y', '5'],
        ]),
      ),
    ).toEqual([]);
  });
});

describe('large graphs', () => {
  test('a thousand companies in a row', () => {
    const chain = Array.from({ length: 1_000 }, (_, at): Link => [
      `C${at + 1}`,
      at === 0 ? 'self' : `C${at}`,
      '100',
    ]);
    expect(shares(form([...chain, ['a', 'C1000', '99.9999']]))).toEqual([['a', '99.999900', '99.999900']]);
  });

  test('more paths than anybody could walk', () => {
    const layers = Array.from({ length: 40 }, (_, at) => at).flatMap((at): Link[] =>
      ['L', 'R'].flatMap((side): Link[] =>
        at === 0
          ? [[`${side}0`, 'self', '50']]
          : [
              [`${side}${at}`, `L${at - 1}`, '50'],
              [`${side}${at}`, `R${at - 1}`, '50'],
            ],
      ),
    );
    const { beneficial_owners: owners, unexplained_percent } = owned(
      form([...layers, ['a', 'L39', '100'], ['b', 'R39', '100']]),
    );
    expect(owners.map(({ ownership_percent: own, paths }) => [own, paths.length])).toEqual([
      ...[
        ['50.000000', MOST_PATHS],
        ['50.000000', MOST_PATHS],
      ],
    ]);
    expect(unexplained_percent).toBe('0.000000');
  });
});
