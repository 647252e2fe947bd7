def measurement_invoke(this, arg):
    return this._function(arg)
