-- nothing

