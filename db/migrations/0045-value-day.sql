-- Money counts from the bank's day whatever moves it, so no type of transfer has a day of its own any more.

drop function if exists value_day(text, timestamptz);
