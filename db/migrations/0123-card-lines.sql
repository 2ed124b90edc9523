-- What cards book has kinds of its own, so that statements can say what a line is. Old lines keep theirs.

insert into source_rights (source_type, kind, permits) values
  ('card_clearing', 'card_purchase', 'must_book'), ('card_clearing', 'card_cash', 'must_book'),
  ('card_clearing', 'card_refund', 'must_book');
delete from source_rights where source_type = 'card_clearing' and kind in ('clearing', 'refund');
